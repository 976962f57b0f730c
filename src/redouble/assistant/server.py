"""A server of the Model Context Protocol through which an assistant plays."""

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from redouble.assistant.tables import AssistantTables
from redouble.bots import BOTS
from redouble.kernel import checks
from redouble.kernel.errors import RedoubleError
from redouble.kernel.extras import needs
from redouble.kernel.version import __version__

with needs("redouble mcp", "llm"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import Field, StrictInt, ValidationError

__all__ = ["mcp_server"]

INSTRUCTIONS = (
    "Play tabletop games against bots. Start a table, then look, and make moves until the game is "
    "over. You see only what your seat may know. Afterwards you can have the game reviewed."
)
ARGUMENTS = {
    "game": "the name of a game, as list_games gives it",
    "full": "true for the whole rulebook, false for the rules in brief",
    "seats": "the number of players, you included; by default four, where the game allows it",
    "level": "the level of the bots, from novice to master",
    "seed": "a text that decides the deal, to play a deal again; by default a new deal",
    "options": "house rules by name; a number of each player, a deck or a board is a list",
    "hints": "true if you may ask for hints at this table",
    "table": "the id of a table, as start_table and my_tables give it",
    "move": "a legal move, as legal_moves lists it in square brackets",
}
"""Each argument of the tools, in words for schemas and errors."""


class AssistantServer(MCPServer[Any]):
    """A server whose errors are sentences for the assistant."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        tools = {tool.name: tool for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool {checks.quoted(name)}: the tools are {_few(tools)}")
        known = tools[name].input_schema["properties"]
        for one in arguments:
            if one not in known:
                raise ToolError(
                    f"{name} has no argument {checks.quoted(one)}: it has {_few(known)}"
                )
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, RedoubleError):
                raise ToolError(str(error.__cause__)) from None
            if isinstance(error.__cause__, ValidationError):
                argument = str(error.__cause__.errors()[0]["loc"][0])
                given = argument in arguments and checks.quoted(arguments[argument])
                said = f"cannot be {given}" if given else "is missing"
                raise ToolError(f"{argument} {said}: give {ARGUMENTS[argument]}") from None
            raise


def mcp_server() -> AssistantServer:
    """Return a server with tables of its own."""
    server = AssistantServer("redouble", instructions=INSTRUCTIONS, version=__version__)
    tables = AssistantTables()
    tools: dict[str, Callable[..., str]] = {
        "list_games": tables.games,
        "rules": tables.rules,
        "start_table": tables.start,
        "my_tables": tables.listed,
        "look": tables.look,
        "legal_moves": tables.moves,
        "move": tables.move,
        "hint": tables.hint,
        "review": tables.review,
        "solve": tables.solve,
    }
    for name, call in tools.items():
        server.add_tool(_described(call), name=name, description=call.__doc__)
    return server


def _described(call: Callable[..., str]) -> Callable[..., str]:
    """Return a tool whose arguments have descriptions, and whose levels are listed."""

    def tool(**given: Any) -> str:
        return call(**given)

    signature = inspect.signature(call, eval_str=True)
    parameters = list(map(_argument, signature.parameters.values()))
    tool.__dict__["__signature__"] = signature.replace(parameters=parameters)
    return tool


def _argument(given: inspect.Parameter) -> inspect.Parameter:
    levels: Any = {"enum": list(BOTS)} if given.name == "level" else None
    about = Field(description=ARGUMENTS[given.name], json_schema_extra=levels)
    kind = StrictInt | str if given.name == "move" else given.annotation  # true isn't move 1
    return given.replace(annotation=Annotated[kind, about])


def _few(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
