"""The ``redouble`` command: its output, and one clear sentence for every error."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import redouble
from redouble.contract.registry import GAMES
from redouble.kernel.settings import Settings
from tests.helpers.command import Run
from tests.helpers.keyboard import Keyboard
from tests.helpers.places import ROOT
from tests.helpers.programs import finished, python


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A game of two seats, four moves long."""
    match = redouble.new("double-down", seats=["Ada", "Ben"], seed="r")
    for _ in range(4):
        match.push(match.legal_moves[0])
    file = tmp_path / "game.json"
    file.write_text(f"{match.record()}\n", encoding="utf-8")
    return file


def test_version_and_help(run: Run) -> None:
    assert run("--version").out == f"redouble {redouble.__version__}\n"
    shown = run("--help")
    assert shown.code == 0
    for command in ("play", "rules", "replay", "games"):
        assert command in shown.out


@pytest.mark.parametrize("line", ["", "--port 8350", "serve --open --port 8350"])
def test_options_alone_are_those_of_the_server(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    started: list[Settings] = []
    monkeypatch.setattr("redouble.web.server.serve.serve", started.append)
    assert run(*line.split()).code == 0
    assert started == [Settings(open_page=True, port=8350 if line else None)]


def test_games_are_listed(run: Run) -> None:
    assert all(name in run("games").out for name in GAMES)
    rows = json.loads(run("games", "--json", "-").out)
    assert [row["name"] for row in rows] == list(GAMES)
    assert all(row["seats"][0] <= row["seats"][1] for row in rows)
    assert all({"name", "default", "meaning"} == set(o) for row in rows for o in row["options"])


@pytest.mark.parametrize("name", list(GAMES))
def test_rules_are_printed(run: Run, name: str) -> None:
    shown = run("rules", name)
    assert shown.code == 0
    assert len(shown.out.splitlines()) > 20
    assert "\x1b" not in shown.out


@pytest.mark.parametrize("name", list(GAMES))
def test_piped_input_plays_and_ends_with_its_last_line(run: Run, name: str) -> None:
    played = run("play", name, "--seed", "pipe", typed="hint\n")
    assert played.code == 0
    assert "> hint\nHint: " in played.out
    assert played.out.splitlines()[-1].startswith("End of input: the game stops after ")
    assert "\x1b" not in played.out
    assert played.err == ""


@pytest.mark.parametrize("name", list(GAMES))
def test_bots_play_a_whole_game_among_themselves(run: Run, name: str) -> None:
    arguments = ("play", name, "--people", "0", "--seed", "bots")
    played = run(*arguments)
    assert played.code == 0
    assert "Game over: " in played.out
    assert run(*arguments).out == played.out


def test_the_menu_works_on_a_pipe(run: Run) -> None:
    played = run("play", typed="double-down\nc\n3\n1\nrandom\nZoe\nforgetful\nquit\n")
    assert played.code == 0
    assert "Zoe (you): chips 3" in played.out
    assert "Bots: Ada (random), Ben (random)." in played.out
    asked = run("play", typed="double or quits\nx\nc\n\n?\nredeals=11\nredeals=3\n")
    assert "\n  free-flip " in asked.out
    assert "option redeals cannot be '11': give a whole number from 0 to 9" in asked.out
    assert "redeals left 3" in asked.out
    at_once = run("play", typed="3\n\n")
    assert "Play Double Down against 3 club bots?" in at_once.out
    assert "Player (you)" in at_once.out
    assert run("play", typed="q\n").code == 0
    assert run("play", typed="").out.endswith("End of input.\n")


def test_a_game_can_be_saved_and_loaded(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    arguments = ("play", "double-down", "--seats", "2", "--seed", "load", "--names", "Zoe,Kit")
    run(*arguments, typed=f"a\nsave {file}\nquit\n")
    saved = redouble.replay(file.read_text())
    loaded = run("play", "--load", str(file), typed="quit\n")
    assert loaded.code == 0
    assert f"total {saved.view(0).fact('total').value}" in loaded.out
    assert "Zoe (you)" in loaded.out


def test_a_loaded_game_keeps_its_notes(run: Run, record: Path) -> None:
    notes = [(2, "Ada left; a greedy bot plays for her.")]
    record.write_text(str(redouble.replay(record.read_text()).record(notes)))
    run("play", "--load", str(record), typed="a\nsave\nquit\n")
    saved = redouble.Record.parse(record.read_text())
    assert len(saved.moves) > 4
    assert saved.notes == tuple(notes)


def test_options_decks_and_names_reach_the_game(run: Run, tmp_path: Path) -> None:
    cards = redouble.new("double-or-quits", seed="d")
    names = cards.game.text.CARDS
    order = [names[card] for card in cards.state.deck[: cards.state.deck_n]]
    deck = tmp_path / "deck.txt"
    deck.write_text("# a puzzle\n" + " ".join(order))
    by_file = run("play", "double-or-quits", "--seed", "x", "--deck", str(deck))
    by_list = run("play", "double-or-quits", "--seed", "x", "--deck", ",".join(order))
    assert by_file.out == by_list.out
    options = ("-o", "free-flip", "--option", "redeals=5")
    assert "redeals left 5" in run("play", "double-or-quits", *options).out


def test_replay_as_text_and_as_json(run: Run, record: Path) -> None:
    text = run("replay", str(record)).out
    assert "1. " in text
    assert "4. " in text
    assert "The record ends here" in text
    rows = [json.loads(line) for line in run("replay", str(record), "--json", "-").out.splitlines()]
    assert [row["ply"] for row in rows] == [0, 1, 2, 3, 4]
    assert rows[0]["move"] is None
    assert rows[4]["text"].startswith("plays ")
    hands = [zone for zone in rows[0]["view"]["zones"] if zone["name"] == "hand"]
    assert None not in hands[0]["cards"] + hands[1]["cards"]


def test_replay_as_a_seat_shows_what_it_saw(run: Run, record: Path) -> None:
    lines = run("replay", str(record), "--seat", "1", "--json", "-").out.splitlines()
    zones = json.loads(lines[0])["view"]["zones"]
    hands = {zone["seat"]: zone["cards"] for zone in zones if zone["name"] == "hand"}
    assert [card["text"] for card in hands[0]] == [""] * 5
    assert all(card["text"] for card in hands[1])


def test_replay_takes_one_line_of_many_and_standard_input(run: Run, record: Path) -> None:
    line = record.read_text()
    record.write_text(f"\n{line}{line}")
    rows = run("replay", str(record), "--json", "-").out.splitlines()
    assert {json.loads(row)["line"] for row in rows} == {2, 3}
    rows = run("replay", str(record), "--json", "-", "--line", "3").out.splitlines()
    assert {json.loads(row)["line"] for row in rows} == {3}
    assert "The record ends here" in run("replay", "-", typed=line).out


DOWN, STUDY = "play double-down", "study double-down"
ARENA = "arena double-down greedy random"
REFUSED = {
    "play chess": "there is no game 'chess'",
    f"{DOWN} --seats 9": "2 to 7 players",
    f"{DOWN} --seats many": "Invalid value for '--seats': give a whole number",
    f"{DOWN} --people 7": "7 people can't share 4 seats: give 0 to 4",
    f"{DOWN} --people -1": "-1 people can't share 4 seats",
    f"{DOWN} --level hal": "there is no bot 'hal'",
    f"{DOWN} --option nonsense=1": "there is no option 'nonsense'",
    f"{DOWN} --option forgetful=perhaps": "option forgetful cannot be 'perhaps'",
    f"{DOWN} --option ages": "write ages=...",
    f"{DOWN} --option forgetful --option forgetful=no": "forgetful is given twice",
    f"{DOWN} --option cards=/no/such/file": "there is no file /no/such/file: check its name",
    f"{DOWN} --deck /no/such/deck.txt": "there is no file /no/such/deck.txt",
    f"{DOWN} --deck 2,3": "2 cards",
    f"{DOWN} --names a,,b": "a name is empty",
    f"{DOWN} --names a,b,c --seats 2": "3 names for 2 seats",
    f"{DOWN} --nonsense": "see redouble play --help",
    "play --load /no/such/file": "there is no file /no/such/file: check its name",
    "play --load /": "/: Is a directory.",
    "play double-or-quits --winnable hard -o free-flip=no": "is hard with these rules: try other",
    "rules chess": "there is no game 'chess'",
    "rules": "Missing argument 'GAME'; see redouble rules --help",
    **{
        f"{command} /no/such/file.py": "there is no file /no/such/file.py: check its name"
        for command in (
            *("replay", "review", "verify", "solve", f"{DOWN} --deck", "serve --words"),
            *("arena double-down greedy", "models double-down"),
        )
    },
    "replay": "Missing argument 'FILE'; see redouble replay --help",
    "prepare chess": "there is no game 'chess'",
    "build c chess": "there is no game 'chess'",
    "frobnicate": "No such command 'frobnicate'; see redouble --help",
    "--nonsense": "No such option: --nonsense (Possible options: --open); see redouble serve",
    "--port": "Option '--port' requires an argument.",
    "--port many": "Invalid value for '--port': give a whole number from 0 to 65,535",
    "solve": "no deal: give its number",
    "solve 5 --games 3": "deal 5 and --games 3 exclude each other: give one of them",
    "solve no-such-file": "there is no file no-such-file: check its name",
    "solve 5 -o redeals=77": "option redeals cannot be '77'",
    "solve 5 --game double-down": "Double Down has no solver",
    "solve -": "there is no record",
    "solve 5 --line 2": "--line 2 can't go with the number of a deal",
    "solve --games 5 --line 2": "--line 2 is for a file of saved games",
    "puzzle nothing": "redouble: there is no game 'nothing'",
    "puzzle double-or-quits": "redouble: there are no puzzles of Double or Quits.",
    "puzzle double-down --number 9999": "redouble: there is no puzzle 9999 of Double Down",
    "puzzle double-down --difficulty odd": "there is no difficulty 'odd': choose easy, medium or",
    "puzzle --number 3": "redouble: puzzle 3 of which game? Name the game and the number.",
    "puzzle double-down --answer 5": "redouble: --answer needs a puzzle",
    "puzzle double-down --number 1 --answer odd": "redouble: 'odd' is not legal here; legal: ",
    "study nothing": "there is no game 'nothing'",
    f"{STUDY} --bots hal": "there is no bot 'hal'",
    f"{STUDY} --bots club,random": "2 bots for 4 seats: name one, or one per seat",
    f"{STUDY} --skill club": "--skill cannot be 'club'",
    f"{STUDY} --skill club,hal": "there is no bot 'hal'",
    f"{STUDY} --seats 9": "is for 2 to 7 players, not 9",
    f"{STUDY} --games 0": "games cannot be 0: give a whole number from 1",
    f"{STUDY} --option x=1": "there is no option 'x'",
    f"{STUDY} --against x=1": "there is no option 'x'",
    f"{STUDY} --against seats=many": "--against seats cannot be 'many'",
    f"{STUDY} --against seats=1": "is for 2 to 7 players, not 1",
    f"{STUDY} --against bots=hal": "there is no bot 'hal'",
    f"{STUDY} --report /no/such/folder/x.html": "there is no folder",
    f"{STUDY} --json /": "is a folder",
    "study three-up --sweep stall=20 --against seats=2": "--sweep and --against exclude each other",
    "arena chess greedy random": "there is no game",
    "arena double-down greedy nobody": "there is no bot 'nobody'",
    f"{ARENA} --report /no/where/a.html": "there is no folder",
    f"{ARENA} --json /": "is a folder",
    f"{ARENA} --report a --json a": "give two different files",
    f"{ARENA} --workers 0": "--workers",
    f"{ARENA} novice --until-clear": "only two bots are compared until it is clear, not 3",
    f"{ARENA} --margin 3": "--margin is for --until-clear: give both, or leave out --margin.",
    f"{ARENA} --until-clear --margin 0": "margin cannot be 0.0: give a number from 0.1 to 50.",
}
"""Command lines, and what the one sentence says that refuses them."""


@pytest.mark.parametrize("line", REFUSED)
def test_every_error_is_one_sentence_before_any_game(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    for played in ("studies.run.carry_out", "arena.tournament.Tournament.play"):
        monkeypatch.setattr(f"redouble.lab.{played}", lambda *_, **__: pytest.fail("it played"))
    monkeypatch.chdir(tmp_path)
    assert REFUSED[line] in run(*line.split()).refusal()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("nonsense\n", "line 1: not JSON"),
        ("", "there is no record"),
        ('{"game": "double-down"}\n', "line 1: the key 'rules' is missing"),
        ("\xff", "not UTF-8 text"),
    ],
)
def test_a_file_without_a_record_is_refused(
    run: Run, tmp_path: Path, content: str, sentence: str
) -> None:
    file = tmp_path / "record"
    file.write_bytes(content.encode("latin-1"))
    for arguments in (("replay", str(file), "--line", "1"), ("play", "--load", str(file))):
        said = run(*arguments).refusal()
        assert f"{file}" in said
        assert sentence in said


READERS = (("replay",), ("review",), ("verify",), ("solve",), ("play", "--load"))
"""Commands that read a file of records."""


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_a_file_without_records_or_with_too_many_is_refused(
    run: Run, tmp_path: Path, reader: tuple[str, ...]
) -> None:
    file = tmp_path / "records"
    for empty in ("", "\n \n"):
        file.write_text(empty)
        assert "there is no record: give a file" in run(*reader, str(file)).refusal()
    line = str(redouble.new("double-or-quits").record())
    file.write_text(f"{line}\n{line}\n")
    if reader not in (("replay",), ("verify",)):
        assert "there are 2 saved games: " in run(*reader, str(file)).refusal()
    if reader == ("solve",):
        assert run("solve", str(file), "--line", "2").out.startswith("Double or Quits, deal ")


def test_an_illegal_move_in_a_record_is_named_with_its_line(run: Run, record: Path) -> None:
    good = record.read_text()
    data = json.loads(good)
    data["moves"] = data["moves"].split()[0] + " 66 66 66"
    record.write_text(good + json.dumps(data) + "\n")
    said = run("replay", str(record), "--line", "2").refusal()
    assert said.startswith(f"redouble: {record}, line 2: move ")


def test_a_finished_game_cannot_be_continued(run: Run, tmp_path: Path) -> None:
    match = redouble.new("double-or-quits", seed="over")
    while match.turn is not None:
        match.push(match.legal_moves[0])
    file = tmp_path / "over.json"
    file.write_text(str(match.record()))
    assert "the game is over" in run("play", "--load", str(file)).err


def test_a_saved_game_has_its_own_settings(run: Run, record: Path) -> None:
    assert "--seats can't go with --load" in run("play", "--load", str(record), "--seats", "2").err
    wrong = run("play", "double-or-quits", "--load", str(record))
    assert "holds a game of Double Down, not of Double or Quits" in wrong.err


def redouble_process(
    *arguments: str, typed: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return python("-X", "importtime", "-m", "redouble", *arguments, input=typed, env=environment)


def test_playing_never_waits_for_numpy_or_a_compiler() -> None:
    """A hint does, and says that it is thinking."""
    ran = redouble_process("play", "double-down", "--seed", "a", typed="a\n")
    assert ran.returncode == 0
    imported = {line.rsplit("|", 1)[-1].strip() for line in ran.stderr.splitlines()}
    assert "redouble.terminal.play.session" in imported
    slow = {"numba", "numpy", "scipy", "rich.markdown", "redouble.kernel.engine"}
    slow |= {"matplotlib", "sqlalchemy", "fastapi", "choix"}
    assert not imported & slow


def test_a_closed_output_pipe_is_not_an_error(record: Path) -> None:
    command = f"'{sys.executable}' -m redouble replay '{record}' --json - | head -n 1"
    ran = finished("sh", "-c", command, check=True)
    assert len(ran.stdout.splitlines()) == 1
    assert ran.stderr == ""


@pytest.mark.parametrize("name", ["play", "test", "setup"])
def test_scripts_are_plain_sh(name: str) -> None:
    subprocess.run(["sh", "-n", str(ROOT / "scripts" / name)], check=True)


def test_every_direct_dependency_is_pinned() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["test"]
    wanted = [one for one in wanted if not one.startswith("redouble[")]  # its own extras
    pins = (ROOT / "constraints.txt").read_text().lower()
    for requirement in wanted:
        name = re.split(r"[\[>=]", requirement.lower())[0]  # extras have no pin of their own
        assert f"\n{name}==" in pins


def test_error_messages_wrap_between_words_on_a_terminal(tmp_path: Path) -> None:
    with Keyboard("rules", "nonsense", folder=tmp_path) as keyboard:
        assert keyboard.wait() == 2
        lines = keyboard.screen.strip().splitlines()
    assert lines == [
        "redouble: there is no game 'nonsense': the games are double-decker,",
        f"{', '.join(list(GAMES)[1:])}.",
    ]


@pytest.mark.parametrize(
    ("words", "seen"),
    [(("rules", "double-down"), "* "), (("arena", "double-down", "club", "novice"), " +- ")],
)
def test_a_limited_encoding_gets_the_characters_it_has(words: tuple[str, ...], seen: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = python("-m", "redouble", *words, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.isascii()
    assert seen in ran.stdout


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("NUMBA_DISABLE_JIT", "1", "nothing is compiled: unset it"),
        ("REDOUBLE_CACHE_DIR", "/proc/nowhere", "set REDOUBLE_CACHE_DIR to a folder"),
    ],
)
def test_what_slows_compiled_code_down_is_said(variable: str, value: str, said: str) -> None:
    environment = os.environ | {variable: value}
    ran = python("-m", "redouble", "prepare", "double-down", env=environment)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr
    master = [*DOWN.split(), "--level", "master"], ""
    menu = ["play"], "double-down\nc\n2\n1\nmaster\n\n\nq\n"
    for words, typed in (master, menu) if variable == "NUMBA_DISABLE_JIT" else (menu,):
        ran = python("-m", "redouble", *words, env=environment, input=typed)
        assert (ran.returncode, ran.stderr.count(said)) == (0, 1), ran.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_the_null_device(tmp_path: Path, closed: str) -> None:
    command = f'"{sys.executable}" -OO -m redouble play double-down --seed x {closed}'
    done = subprocess.run(
        ["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, cwd=tmp_path
    )
    assert done.returncode == 0
    assert done.stderr == b""
