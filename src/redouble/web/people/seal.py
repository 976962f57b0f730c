"""Texts that are stored so that only this server can read them."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from redouble.kernel.extras import needs


class Seal:
    """Seals addresses with a server's keys."""

    def __init__(self, keys: Sequence[str]) -> None:
        """Use keys of which the newest is the last."""
        self._keys = keys

    def close(self, text: str) -> str:
        """Return a text that only this server can read."""
        sealed: bytes = self._fernet.encrypt(text.encode())
        return sealed.decode()

    def open(self, sealed: str) -> str | None:
        """Return a sealed text; None if it was sealed with a key that is gone."""
        from cryptography.fernet import InvalidToken

        try:
            opened: bytes = self._fernet.decrypt(sealed.encode())
        except InvalidToken:
            return None
        return opened.decode()

    @cached_property
    def _fernet(self) -> Any:
        with needs("push messages", "push"):
            from cryptography.fernet import Fernet, MultiFernet
        digests = [hashlib.sha256(f"push {key}".encode()).digest() for key in reversed(self._keys)]
        return MultiFernet([Fernet(base64.urlsafe_b64encode(one)) for one in digests])
