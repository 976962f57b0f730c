"""Rectangles of text, put side by side and below each other."""

from collections.abc import Iterable, Sequence

from rich.text import Text

Block = list[Text]
"""Lines from top to bottom; their widths may differ."""


def width(block: Block) -> int:
    return max((line.cell_len for line in block), default=0)


def beside(blocks: Sequence[Block], gap: int = 2) -> Block:
    """Return the blocks from left to right, aligned at the top."""
    height = max((len(block) for block in blocks), default=0)
    widths = [width(block) for block in blocks]
    lines = []
    for row in range(height):
        line = Text()
        for block, columns in zip(blocks, widths, strict=True):
            if line.cell_len:
                line.append(" " * gap)
            line.append_text(_padded(block[row] if row < len(block) else Text(), columns))
        lines.append(line)
    return lines


def flow(blocks: Iterable[Block], columns: int, gap: int = 2) -> Block:
    """Return the blocks from left to right, on as many rows as necessary."""
    rows: list[list[Block]] = []
    left = 0
    for block in blocks:
        needed = width(block)
        if rows and needed + gap <= left:
            rows[-1].append(block)
            left -= needed + gap
        else:
            rows.append([block])
            left = columns - needed
    return [line for row in rows for line in beside(row, gap)]


def grid(texts: Sequence[Text], columns: int, gap: int = 2) -> Block:
    """Return short texts in columns of equal width, row by row."""
    if not texts:
        return []
    widest = max(text.cell_len for text in texts)
    across = max(1, (columns + gap) // (widest + gap))
    rows = [texts[i : i + across] for i in range(0, len(texts), across)]
    return [Text(" " * gap).join(_padded(text, widest) for text in row) for row in rows]


def aligned(rows: Sequence[Sequence[Text]], gap: int = 2) -> Block:
    """Return a table without lines, every column as wide as its widest text."""
    widths = [max(text.cell_len for text in column) for column in zip(*rows, strict=True)]
    return [
        Text(" " * gap).join(_padded(text, w) for text, w in zip(row, widths, strict=True) if w)
        for row in rows
    ]


def wrapped(text: Text, columns: int) -> Block:
    """Break the text between words into lines of at most ``columns`` columns."""
    from rich.console import Console

    lines = text.wrap(Console(width=columns), columns)
    for line in lines:
        line.rstrip()
    return list(lines)


def fitted(text: str, columns: int) -> str:
    """Cut the text to ``columns`` columns, with an ellipsis for the rest."""
    line = Text(text)
    line.truncate(columns, overflow="ellipsis")
    return line.plain


def framed(block: Block, title: Text, columns: int, style: str, unicode: bool) -> Block:
    """Return the block in a box of exactly ``columns`` columns, its title in the upper edge."""
    corners, level, upright = ("╭╮╰╯", "─", "│") if unicode else ("++++", "-", "|")
    inner = columns - 4
    title = title.copy()
    title.truncate(inner - 2, overflow="ellipsis")
    top = Text.assemble((f"{corners[0]}{level} ", style), title, " ")
    top.append(level * (columns - 1 - top.cell_len) + corners[1], style)
    lines = [top]
    for line in block:
        cut = line.copy()
        cut.truncate(inner, overflow="ellipsis")
        lines.append(
            Text.assemble((f"{upright} ", style), _padded(cut, inner), (f" {upright}", style))
        )
    lines.append(Text(corners[2] + level * (columns - 2) + corners[3], style))
    return lines


def _padded(text: Text, columns: int) -> Text:
    if text.cell_len >= columns:
        return text
    text = text.copy()
    text.append(" " * (columns - text.cell_len))
    return text
