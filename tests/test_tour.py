"""The notebook: it runs, and shows what it gives."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.helpers.places import EXAMPLES

TOUR = EXAMPLES / "tour.ipynb"
LEARNED = "UPDATES = np.random.default_rng(1), 1000"
"""How long the last network learns there; here it learns a quarter of it."""
VARIES = "varies"
"""The tag of a cell whose output depends on the machine: plots, and what rounding decides."""


def texts(cell: Any) -> list[str]:
    """What a cell prints or returns, as plain text."""
    return [one.get("text") or one["data"]["text/plain"] for one in cell.outputs]


@pytest.mark.thorough
def test_the_tour_gives_what_it_shows(tmp_path: Path) -> None:
    shown = nbformat.read(TOUR, as_version=4)  # type: ignore[no-untyped-call]
    played = deepcopy(shown)
    (learns,) = (cell for cell in played.cells if LEARNED in cell.source)
    learns.source = learns.source.replace(LEARNED, LEARNED.replace("1000", "250"))
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(played, timeout=280, kernel_name="python3", resources=resources).execute()
    cells = [
        (before, after)
        for before, after in zip(shown.cells, played.cells, strict=True)
        if before.cell_type == "code"
    ]
    for before, after in cells:
        if VARIES not in before.metadata.get("tags", ()):
            assert texts(after) == texts(before)
    novice = texts(cells[-1][1])[0].splitlines()[1]
    assert float(novice.split()[2]) > 0.3
