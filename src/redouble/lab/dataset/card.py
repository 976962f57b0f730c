"""The card of a data set: what it holds, how it was made, and how to check it."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from redouble.analysis.solve import POSITIONS
from redouble.contract.game import Game
from redouble.contract.options import Data, written
from redouble.contract.registry import GAMES
from redouble.envs.arrays.observation import layout
from redouble.kernel import checks
from redouble.kernel.version import __version__
from redouble.lab.dataset.columns import KNOWN_BY, packed_dtype, tables
from redouble.lab.dataset.job import DatasetJob

__all__ = ["DatasetFile", "card"]

CARD = "README.md"
MAX_SIZE = 2**60
"""The limit of rows and bytes of a file."""
ROWS = {
    "positions": "a decision in one of the games, with what each legal move is worth",
    "worlds": "a world of such a position, with what came of each legal move in it",
    "games": "a game",
    "puzzles": "a puzzle that comes with the game, with its answer and the reason",
}
"""What a row of each table is."""


@dataclass(frozen=True)
class DatasetFile:
    """A file of a data set."""

    table: str
    name: str
    rows: int
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        checks.one_of(self.table, tuple(ROWS), "table")
        checks.text(self.name, "name")
        checks.whole(self.rows, "rows", 0, MAX_SIZE)
        checks.whole(self.bytes, "bytes", 0, MAX_SIZE)
        checks.text(self.sha256, "sha256")


def card(job: DatasetJob, files: Sequence[DatasetFile]) -> str:
    """Return the card of a data set, as Markdown.

    It has no date, so the same data have the same card. Raises
    :class:`~redouble.kernel.errors.InputError` if an argument cannot be used.
    """
    checks.instance(job, DatasetJob, "job")
    for one in checks.items(files, "files", "files"):
        checks.instance(one, DatasetFile, "a file")
    about = [*_front(job, files), *_files(job, files), *_making(job)]
    reference = [*_columns(job, files), *_layouts(job), *_checking(files)]
    return "\n".join([*about, *reference]) + "\n"


def _title(job: DatasetJob) -> str:
    return f"{GAMES[job.game].title} for {checks.counted(job.seats, 'player')}"


def _front(job: DatasetJob, files: Sequence[DatasetFile]) -> Iterator[str]:
    """Yield what pages that host data sets read."""
    yield from ("---", "license: mit", f"pretty_name: {json.dumps(_title(job))}", "tags:")
    yield from ("- games", "- imperfect-information", "- reinforcement-learning", "configs:")
    for one in files:
        yield from (f"- config_name: {one.table}", f"  data_files: {one.name}")
    yield from ("---", "", f"# {_title(job)}", "")


def _files(job: DatasetJob, files: Sequence[DatasetFile]) -> Iterator[str]:
    yield "Games between bots, and decisions in them with what each legal move is worth, judged by"
    yield "what the player to move knew. The files are Parquet, compressed with zstd."
    yield from _table(
        ("file", "rows", "bytes", "a row is"),
        [(f"`{one.name}`", f"{one.rows:,}", f"{one.bytes:,}", ROWS[one.table]) for one in files],
    )


def _making(job: DatasetJob) -> Iterator[str]:
    game = GAMES[job.game]
    yield from ("", "## How it was made", "")
    yield f"By Redouble {__version__} with pyarrow {version('pyarrow')}. With these versions the"
    yield "same command writes the same bytes, with any number of threads or machines:"
    yield from ("", "```sh", _command(job, game), "```", "")
    yield f"- **Rules**: version {game.version} of `{game.name}`. Options: `{_options(job)}`."
    yield f"- **Games**: {job.games:,}. Game `i`, counted from 0, has the seed `{job.seed} game N`"
    yield "  with N = i + 1, and bot `(seat + i) % n` of these n bots plays a seat:"
    yield f"  {', '.join(f'`{bot}`' for bot in job.bots)}."
    if job.positions:
        yield f"- **Positions**: up to {job.positions} decisions of each game, drawn at random from"
        yield "  those with several legal moves."
        yield from _values(job)


def _values(job: DatasetJob) -> Iterator[str]:
    yield f"- **Worlds**: {job.worlds} for each position: whole positions that the player to move"
    yield "  can't tell from the real one, dealt by `determinize`. Seeds:"
    yield f"  `worlds of {job.seed} game N ply P`."
    if job.seats == 1:
        yield "- **Values**: in each world a careful player, who doesn't know the stock, finishes"
        yield "  the game after each legal move. `shares` of a position are the means over its"
        yield "  worlds, so they are lower bounds of what the best player could win."
        yield "- **Exact values**: `winnable` is decided by a solver that knows the stock, with at"
        yield f"  most {POSITIONS:,} positions for one answer."
        return
    yield "- **Values**: a flat Monte Carlo search by worlds. In each world every legal move is"
    yield "  tried with the same random numbers, and the game's heuristic (`expert`) finishes the"
    yield f"  game for all players. The budget is {job.worlds} playouts for each legal move, one in"
    yield "  each world. `shares` of a position are the means over its worlds, and `errors` the"
    yield "  standard deviations in the sample divided by the square root of their number. They"
    yield "  measure chance, not how well the heuristic plays. Differences between moves are"
    yield "  known better than the errors say: take them world by world."


def _command(job: DatasetJob, game: Game) -> str:
    words = ["redouble", "dataset", job.game, "--out", "FOLDER", "--seats", str(job.seats)]
    words += ["--games", str(job.games), "--positions", str(job.positions)]
    words += ["--worlds", str(job.worlds), "--bots", ",".join(job.bots), "--seed", job.seed]
    words += [] if job.puzzles else ["--no-puzzles"]
    for option in game.options:
        value = job.options[option.name]
        if value != {**_defaults(game), **game.setups.usual}[option.name]:
            text = f"{option.name}.txt" if isinstance(option, Data) else written(value)
            words += ["--option", f"{option.name}={text}"]
    return shlex.join(words)


def _options(job: DatasetJob) -> str:
    defaults = _defaults(GAMES[job.game])
    return json.dumps({name: v for name, v in job.options.items() if v != defaults[name]})


def _defaults(game: Game) -> dict[str, object]:
    return {option.name: option.default for option in game.options}


def _columns(job: DatasetJob, files: Sequence[DatasetFile]) -> Iterator[str]:
    yield from ("", "## Columns", "", "The columns say who knows what they tell:", "")
    for name, meaning in KNOWN_BY.items():
        yield f"- **{name}**: {meaning}."
    yield from ("", "The seat's own moves and those of others that it saw are in `record`, which")
    yield "also deals the hidden cards. Lists that speak of legal moves have their order."
    every = tables(GAMES[job.game], job.seats)
    for one in files:
        yield from ("", f"### {one.name}")
        columns = every[one.table]
        yield from _table(
            ("column", "type", "known by", "meaning"),
            [(f"`{c.name}`", f"`{c.kind}`", c.known_by, c.meaning) for c in columns],
        )


def _layouts(job: DatasetJob) -> Iterator[str]:
    game = GAMES[job.game]
    yield from ("", "## Observation", "", "Seats are counted from the seat to move.")
    slices = layout(game, job.seats)
    yield from _table(
        ("numbers", "field", "read as", "meaning"),
        [(f"{s.start} to {s.stop - 1}", f"`{s.name}`", s.kind, s.meaning) for s in slices],
    )
    packed, meanings = packed_dtype(game), {f.name: f.meaning for f in game.rules.Position.FIELDS}
    yield from ("", "## State", "", "Little-endian, without gaps. In Python,")
    yield "`redouble.lab.dataset.columns.unpack(redouble.GAMES[game], row['state'])` reads it."
    rows = []
    for name in packed.names or ():
        kind, start = packed.fields[name][:2] if packed.fields else (packed, 0)
        shape = "".join(f"[{n}]" for n in kind.shape)
        rows.append((str(start), f"`{name}`", f"`{kind.base.name}{shape}`", meanings[name]))
    yield from _table(("byte", "field", "type", "meaning"), rows)


def _checking(files: Sequence[DatasetFile]) -> Iterator[str]:
    yield from ("", "## Check it", "", "SHA-256 digests:", "", "```")
    for one in files:
        yield f"{one.sha256}  {one.name}"
    yield from ("```", "", "```sh", "grep -E '^[0-9a-f]{64}  ' README.md | sha256sum -c", "```")
    yield from ("", "## License", "", "MIT, the license of Redouble, whose programs, words and")
    yield "puzzles the files are made of. Name Redouble and this command where you publish them."


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from ("", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|")
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
