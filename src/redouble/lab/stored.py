"""Results as files keep them: what was found, read back and checked."""

from typing import Any, ClassVar, Self

from redouble.kernel import checks
from redouble.kernel.border import JsonShape, read_json, to_json
from redouble.kernel.errors import RedoubleError


class StoredResults(JsonShape):
    """The results of an experiment as its JSON holds them: a dataclass with the file's keys."""

    WHAT: ClassVar[str]
    """What they are, as an error names them."""
    ERROR: ClassVar[type[RedoubleError]]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the results that a JSON text holds, as :meth:`to_dict` has them.

        Raises ``ERROR`` for anything else, such as a truncated file or other results.
        """
        try:
            found = read_json(cls, checks.text(text, "the text", cls.ERROR), cls.ERROR)
            found._check()
        except cls.ERROR as error:
            raise cls.ERROR(f"these aren't {cls.WHAT}: {error}") from None
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain JSON, as :meth:`parse` reads it."""
        data: dict[str, Any] = to_json(self)
        return data

    def _check(self) -> None:
        """Raise ``ERROR`` if the parts do not fit together."""
