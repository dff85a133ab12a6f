"""Text of a growing list of tokens, without ever showing half a character."""

from __future__ import annotations

from collections.abc import Callable, Sequence

BROKEN = "\ufffd"


class TextStream:
    """Gives out what each token adds. Tokens that end inside a character add nothing until it is complete."""

    def __init__(self, decode: Callable[[Sequence[int]], str]) -> None:
        self._decode = decode
        self._ids: list[int] = []
        self._context = self._shown = 0  # tokens before _shown are out; those from _context on help to decode

    def push(self, token: int) -> str:
        """The text that becomes readable with ``token``; may be empty."""
        self._ids.append(token)
        before = self._decode(self._ids[self._context : self._shown])
        after = self._decode(self._ids[self._context :])
        if after.endswith(BROKEN):
            return ""
        self._context, self._shown = self._shown, len(self._ids)
        return after[len(before) :].replace(BROKEN, "")

    def finish(self) -> str:
        """What is readable of the tokens still held back; half a character is left out."""
        before = self._decode(self._ids[self._context : self._shown])
        after = self._decode(self._ids[self._context :])
        self._context, self._shown = self._shown, len(self._ids)
        return after[len(before) :].replace(BROKEN, "")

    def mark(self) -> tuple[int, int, int]:
        """Where it stands, for :meth:`rewind`."""
        return len(self._ids), self._context, self._shown

    def rewind(self, mark: tuple[int, int, int]) -> None:
        """Back to a :meth:`mark`."""
        length, self._context, self._shown = mark
        del self._ids[length:]
