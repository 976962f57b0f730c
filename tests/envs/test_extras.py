"""An environment whose library isn't installed says what to install."""

import importlib
import sys

import pytest

from redouble.kernel.errors import MissingExtra, MissingPackage


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [
        ("gymnasium", "gymnasium", "rl"),
        ("pettingzoo", "pettingzoo", "rl"),
        ("openspiel", "pyspiel", "openspiel"),
        ("textarena", "textarena", "text"),
        ("jax", "jax", "jax"),
    ],
)
def test_a_missing_library_is_named(
    name: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"redouble.envs.peers.{name}", raising=False)
    with pytest.raises(MissingExtra, match=rf"needs the package {library}, .*'redouble\[{extra}\]"):
        importlib.import_module(f"redouble.envs.peers.{name}")


def test_pufferlib_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It isn't among the extras: its package asks for one version of PyTorch."""
    monkeypatch.setitem(sys.modules, "pufferlib", None)
    monkeypatch.delitem(sys.modules, "redouble.envs.peers.pufferlib", raising=False)
    with pytest.raises(MissingPackage, match="install pufferlib-core"):
        importlib.import_module("redouble.envs.peers.pufferlib")
