"""From a chat to the text a model expects: its own template where that works, plain text where not."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import weakref
from pathlib import Path

from methods.core.errors import WorkFailed

SECONDS = 3.0
"""A template that needs longer is taken to be endless; real ones need milliseconds."""
START_SECONDS = 20.0
ROOT = Path(__file__).parents[3]
Messages = list[dict[str, str]]


class Chat:
    """Renders chats.

    Args:
        template: Jinja text; empty for raw mode.
        words: what templates may ask for, ``bos_token`` and ``eos_token``.

    Attributes:
        note: why the model is in raw mode, in words; "" while its template works.
    """

    def __init__(self, template: str = "", words: dict[str, str] | None = None, note: str = "") -> None:
        self.note = note or (
            "" if template else "The model has no chat template, so the text is put to it raw."
        )
        self._template, self._words = template, words or {}
        self._worker: _Worker | None = None
        self._lock = threading.Lock()

    @property
    def raw(self) -> bool:
        return bool(self.note)

    def render(self, messages: Messages) -> str:
        """The prompt, with room for the assistant's answer. A template that fails puts the model into raw mode."""
        with self._lock:
            if not self.raw:
                try:
                    return self._rendered(messages)
                except WorkFailed as error:
                    self.note = (
                        f"The chat template failed ({error.what}), so the text is put to the model raw."
                    )
                    self._end()
            return raw(messages)

    def _rendered(self, messages: Messages) -> str:
        if self._worker is None:
            self._worker = _Worker({"template": self._template, "words": self._words})
        error = ""
        for chat in (messages, _without_system(messages)):  # some templates know no system prompt
            answer = self._worker.ask({"messages": chat, "add_generation_prompt": True})
            if "text" in answer:
                return answer["text"]
            error = answer["error"]
        raise WorkFailed(error)

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


def raw(messages: Messages) -> str:
    """The messages as plain paragraphs."""
    return "".join(f"{m['content']}\n" for m in messages)


def _without_system(messages: Messages) -> Messages:
    if len(messages) < 2 or messages[0]["role"] != "system":
        return messages
    first = {"role": "user", "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
    return [first, *messages[2:]]


class _Worker:
    """The rendering process; ended with its owner."""

    def __init__(self, opening: dict[str, object]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "methods.monica.models.chat_worker"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.end = weakref.finalize(self, _kill, self._process)
        self._write(opening)
        self._read(START_SECONDS)

    def ask(self, chat: dict[str, object]) -> dict[str, str]:
        """Raises WorkFailed: it took too long or died; the process is gone then."""
        self._write(chat)
        return self._read(SECONDS)

    def _read(self, seconds: float) -> dict[str, str]:
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        try:
            line = self._process.stdout.readline() if self._process.stdout else ""
        finally:
            timer.cancel()
        try:
            return json.loads(line)
        except ValueError as error:
            raise WorkFailed("it did not end in time or needed too much memory") from error

    def _write(self, value: dict[str, object]) -> None:
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(value) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise WorkFailed("the process that renders it has ended") from error


def _kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):  # what was still to be written has no reader
                stream.close()
    process.wait()
