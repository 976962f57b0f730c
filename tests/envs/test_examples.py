"""The example loops run, with any game, and are as short as they promise."""

import runpy
import sys

import pytest

from tests.helpers.places import EXAMPLES

LONGEST = 30
"""Lines of an example, so that it is read at a glance."""

LONGEST_OF_LARGE = 80
"""Of an example for a library that isn't among those of the tests."""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("batch_loop double-down 10", "after 10 steps: mean reward "),
        ("gymnasium_loop double-down 3", "3 games of double-down: mean reward "),
        ("gymnasium_loop double-or-quits 3", "3 games of double-or-quits: mean reward "),
        ("pettingzoo_loop double-down", "seat_3: "),
        ("pettingzoo_loop double-dominoes", "seat_3: "),
        ("openspiel_loop double-down 4", "double-down: the tree search in seat 0 gets "),
        ("openspiel_loop double-or-quits 2", "double-or-quits: the tree search in seat 0 gets +0."),
        ("rlcard_loop double-down 2", "seat_3: mean reward "),
    ],
)
def test_an_example_runs(
    words: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *arguments = words.split()
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
    monkeypatch.setattr(sys, "argv", [str(path), *arguments])
    runpy.run_path(str(path), run_name="__main__")
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "library", "said"),
    [
        ("rlcard_loop", "rlcard", "This example needs RLCard: pip install rlcard"),
        ("torchrl_loop", "torchrl", "This example needs TorchRL: pip install torchrl"),
        (
            "maskable_ppo_loop",
            "sb3_contrib",
            "This example needs sb3-contrib: pip install sb3-contrib",
        ),
        ("rllib_loop", "ray.rllib", "This example needs RLlib: pip install 'ray"),
        ("pufferlib_loop", "pufferlib", "This example needs PufferLib: pip install pufferlib"),
    ],
)
def test_an_example_says_what_it_needs(
    name: str, library: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_OF_LARGE
    for module in [one for one in sys.modules if one.split(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SystemExit, match=said):
        runpy.run_path(str(path), run_name="__main__")


def test_the_training_example_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is run with PyTorch by hand: that is far larger than all other requirements together."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLES / "ppo.py"), run_name="__main__")
    assert ended.value.code == "examples/ppo.py needs PyTorch: pip install torch"
