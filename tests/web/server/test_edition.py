"""``redouble build site``: what it says when the edition can't be made, which leaves nothing."""

from pathlib import Path

import pytest

from redouble.web.server.edition import SiteError, make


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(SiteError, match="isn't empty: name a new folder"):
        make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_what_cannot_be_fetched_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SiteError, match="npm isn't installed: install it"):
        make(tmp_path / "site")
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'no such host' >&2\nexit 1\n")
    npm.chmod(0o700)
    with pytest.raises(SiteError, match=r"npm pack .* failed: no such host"):
        make(tmp_path / "site")
    assert not (tmp_path / "site").exists()
