"""Checkpoints: what was written is read back, and a file that lies about its size is refused."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from redouble.lab.training.checkpoint import TrainingError, read_checkpoint, write_checkpoint

ABOUT = {"game": "any", "hidden": 3}
ARRAYS = {"weights": np.arange(6, dtype=np.int16).reshape(2, 3), "step": np.array(7)}


def test_a_checkpoint_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "it"
    write_checkpoint(path, ABOUT, ARRAYS)
    found = read_checkpoint(path, ABOUT, ARRAYS)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert (found[name] == array).all()
        found[name] += 1  # training goes on in it
    with pytest.raises(TrainingError, match="other settings"):
        read_checkpoint(path, ABOUT | {"hidden": 4}, ARRAYS)


@pytest.mark.parametrize("packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_file_that_lies_about_its_size_is_refused_without_room_for_it(
    tmp_path: Path, packed: int
) -> None:
    path = tmp_path / "it"
    write_checkpoint(path, ABOUT, ARRAYS)
    with zipfile.ZipFile(path) as held:
        members = {name: held.read(name) for name in held.namelist()}
    liar = io.BytesIO()
    said = {"descr": "<i8", "fortran_order": False, "shape": (16_000, 10_000)}
    np.lib.format.write_array_header_1_0(liar, said)
    zeros = b"" if packed == zipfile.ZIP_STORED else bytes(20_000_000)
    with zipfile.ZipFile(path, "w", packed) as held:
        for name, data in (members | {"weights.npy": liar.getvalue() + zeros}).items():
            held.writestr(name, data)
    tracemalloc.start()
    with pytest.raises(TrainingError, match="damaged"):
        read_checkpoint(path, ABOUT, ARRAYS)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1_000_000
