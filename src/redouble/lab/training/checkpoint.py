"""Checkpoints: files of arrays from which training goes on."""

from __future__ import annotations

import io
import json
import math
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from redouble.kernel.errors import RedoubleError

Array = np.ndarray[Any, np.dtype[Any]]

UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError),
    *(ValueError, SyntaxError, TypeError, KeyError, IndexError, EOFError),
    *(NotImplementedError, RuntimeError, RecursionError, MemoryError, OverflowError),
)
"""What reading a broken archive raises."""
ABOUT = "about"


class TrainingError(RedoubleError):
    """Training that can't be done as requested, or a checkpoint that can't be used."""


def damaged(path: Path) -> TrainingError:
    """Return the error of a file that can't be read."""
    return TrainingError(f"{path} isn't a checkpoint, or is damaged: delete it")


def write_checkpoint(path: Path, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write arrays to a file that is whole at any moment; ``about`` says what training it is."""
    held = io.BytesIO()
    named: dict[str, Any] = {ABOUT: np.array(json.dumps(about)), **arrays}
    np.savez(held, **named)
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(held.getvalue())
    new.replace(path)


def read_checkpoint(
    path: Path, about: Mapping[str, Any], like: Mapping[str, Array]
) -> dict[str, Array]:
    """Return the arrays of a file; they have the names and shapes of those in ``like``.

    Raises :class:`TrainingError` if the file is damaged, or if it is of other training than
    ``about`` says.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as held:
            found = json.loads(str(_array(held, ABOUT)))
            arrays = {name: _array(held, name) for name in like}
    except (OSError, RedoubleError, *UNREADABLE):
        raise damaged(path) from None
    same = all(arrays[name].shape == like[name].shape for name in like)
    if found != json.loads(json.dumps(about)) or not same:
        raise TrainingError(
            f"{path} is of training with other settings: give the same, or delete it"
        )
    return arrays


def _array(held: zipfile.ZipFile, name: str) -> Array:
    """Return an array of an archive; it isn't larger than the file that it is in.

    Raises what is in ``UNREADABLE``, before numpy makes room for what a header claims.
    """
    member = held.getinfo(f"{name}.npy")
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError("compressed")
    with held.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError("another format")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        if fortran or dtype.hasobject or math.prod(shape) * dtype.itemsize > member.file_size:
            raise ValueError("larger than its file")
        return np.frombuffer(file.read(), dtype).reshape(shape).copy()
