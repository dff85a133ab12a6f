"""Renders one chat template in a process of its own, because a template is a program that a stranger wrote.

Reads the template as one line of JSON, then one line of JSON per chat, and answers each with one line. Jinja's
sandbox keeps it from Python's innards; what an endless loop or a huge text would cost is limited by the parent, which
ends this process, and by a limit on its memory. Usage: ``python -m methods.monica.models.chat_worker``.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any, NoReturn

MEMORY_BYTES = 512 * 1024 * 1024
MAX_TEXT = 1_000_000


def main() -> None:
    _limit_memory()
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = _refuse
    opening = json.loads(sys.stdin.readline())
    print("{}", flush=True)  # ready: from here on the parent counts the seconds of the template alone
    template = None
    for line in sys.stdin:
        try:
            template = template or environment.from_string(opening["template"])
            chat: dict[str, Any] = json.loads(line)
            text = template.render(**opening["words"], **chat)
            answer = {"text": text} if len(text) <= MAX_TEXT else {"error": "its text is too long"}
        except (TemplateError, _Refused) as error:
            answer = {"error": str(error)[:200]}
        except MemoryError:
            answer = {"error": "it needs too much memory"}
        except Exception as error:  # whatever a stranger's template does wrong
            answer = {"error": f"{type(error).__name__}: {str(error)[:150]}"}
        print(json.dumps(answer), flush=True)


class _Refused(Exception):
    """The template itself says no."""


def _refuse(message: str) -> NoReturn:
    raise _Refused(str(message))


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # absent on Windows, refused on some systems
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
