"""Links as they arrive: with what stood behind them in a text, or what a program added."""

AFTER_LINKS = ".,;:!?)]}>'\"*»”’…\u200b\u200c\u200d\u2060\ufeff\u00a0 \t\r\n"
"""What may stand behind a link in a text. Of our addresses, only those of deals end with it."""


def without_end(text: str) -> str:
    """Return a path or its end, unquoted, as it was meant.

    Some programs write the question mark of what they add as part of the path.
    """
    return text.partition("?")[0].rstrip(AFTER_LINKS)
