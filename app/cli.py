"""The headless twin: a command line generated from the method declarations. Imports no Qt."""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from app import figures_text
from methods.core import params as parameters
from methods.core.context import Cancelled, CancelToken, Context
from methods.core.declaration import Action, Method
from methods.core.devices import DEVICES, choose
from methods.core.errors import BadInput, StudioloError, WorkFailed
from methods.core.params import Choice, Param
from methods.core.registry import method as find_method
from methods.core.registry import methods
from methods.core.version import __version__

DONE, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130


class _Parser(argparse.ArgumentParser):
    """argparse whose complaint is one line and an exit code 2, like every other bad input."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{self.prog}: {message}.", f"See {self.prog} --help.")


def main(argv: list[str]) -> int:
    """Run one headless command; returns the exit code (0 done, 1 failed, 2 bad usage, 130 interrupted)."""
    debug = "--debug" in argv
    try:
        return _dispatch([word for word in argv if word != "--debug"])
    except BadInput as error:
        return _complain(error, BAD_USAGE, debug)
    except (Cancelled, KeyboardInterrupt):
        print("studiolo: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return FAILED
    except MemoryError as error:
        return _complain(
            StudioloError("There is not enough memory for this.", "Use a smaller input."),
            FAILED,
            debug,
            error,
        )
    except Exception as error:  # whatever the work raised becomes one line; --debug shows the rest
        return _complain(error, FAILED, debug)


def _complain(error: BaseException, code: int, debug: bool, cause: BaseException | None = None) -> int:
    if debug:
        traceback.print_exception(cause or error)
    text = str(error) if isinstance(error, StudioloError) else f"{type(error).__name__}: {error}"
    print("studiolo: " + " ".join(text.split()), file=sys.stderr)
    return code


def _dispatch(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help"):
        print(_overview())
        return DONE
    if argv[0] == "--version":
        print(f"studiolo {__version__}")
        return DONE
    if argv[0] == "--list":
        return _list("--json" in argv)
    command = _COMMANDS.get(argv[0])
    if command is not None:
        return command(argv[1:])
    if argv[0].startswith("-"):
        raise BadInput(f"There is no option {argv[0]!r}.", "See studiolo --help.")
    if Path(argv[0]).suffix:
        raise BadInput(f"{argv[0]} does not exist.", "Check the name and the folder.")
    return _run_method(find_method(argv[0]), argv[1:])


def is_command(word: str) -> bool:
    """Whether ``word`` starts a headless command."""
    return word in _COMMANDS or any(word == method.id for method in methods())


def _overview() -> str:
    lines = [
        "studiolo                            open the window",
        "studiolo FILE...                    open the window with these files",
        "studiolo METHOD ACTION INPUT...     run without a window; see studiolo METHOD --help",
        "studiolo --list [--json]            name methods and actions",
        "studiolo tour --out DIR             open every panel on its sample and save pictures",
        "studiolo bench [METHOD]             print the performance table",
        "studiolo inspect FILE [--json]      show what is inside a weights file or model folder",
        "studiolo --version | --info | --safe-mode | --reset-settings",
        "",
        "Methods:",
    ]
    return "\n".join(lines + [f"  {m.id:<16} {m.summary}" for m in methods()])


def _list(as_json: bool) -> int:
    if as_json:
        listing = {
            m.id: {"title": m.title, "actions": {a.id: a.summary for a in m.actions}} for m in methods()
        }
        print(json.dumps(listing, indent=2))
        return DONE
    for m in methods():
        print(f"{m.id}: {m.title}")
        for action in m.actions:
            print(f"  {action.id:<12} {action.summary}")
    return DONE


def _run_method(method: Method, argv: list[str]) -> int:
    parser = _method_parser(method)
    options = parser.parse_args(argv)
    if options.action is None:
        parser.print_help()
        return BAD_USAGE
    return _run_action(method, method.action(options.action), options)


def _method_parser(method: Method) -> _Parser:
    parser = _Parser(prog=f"studiolo {method.id}", description=method.summary)
    commands = parser.add_subparsers(dest="action", metavar="ACTION", parser_class=_Parser)
    for action in method.actions:
        sub = commands.add_parser(action.id, help=action.summary, description=action.summary)
        for declared in action.inputs:
            kind = method.kind(declared.kind)
            text = declared.help + (f" ({kind.formats})" if kind.formats else "")
            if declared.option:
                metavar = "DIR" if kind.folder else "FILE"
                sub.add_argument(f"--{declared.name}", help=text, metavar=metavar, required=declared.required)
            else:
                sub.add_argument(declared.name, help=text, nargs=None if declared.required else "?")
        for param in parameters.params_of(action.params):
            _add_option(sub, param)
        _add_common(sub, method, action)
    return parser


def _add_option(parser: argparse.ArgumentParser, param: Param) -> None:
    text = param.spec.help.replace("%", "%%")
    unit = getattr(param.spec, "unit", "").replace("%", "%%")
    default = param.show(param.default) or "none"
    shown = f"{text} (default {default.replace('%', '%%')}{' ' + unit if unit else ''})"
    if param.type is bool:
        parser.add_argument(
            param.option, action=argparse.BooleanOptionalAction, default=param.default, help=text
        )
        return
    if param.many:
        parser.add_argument(param.option, nargs="+", action=_Words, default=None, help=shown, metavar="TEXT")
        return
    if getattr(param.spec, "positional", False):
        parser.add_argument(param.name, nargs="?", default=argparse.SUPPRESS, help=text)
    metavar = "|".join(param.spec.options) if isinstance(param.spec, Choice) else param.type.__name__.upper()
    parser.add_argument(param.option, default=param.default, type=param.parse, help=shown, metavar=metavar)


class _Words(argparse.Action):
    """Several words after an option, which may come again; together they replace the default."""

    def __call__(self, parser: Any, options: Any, values: Any, option: str | None = None) -> None:
        setattr(options, self.dest, (*(getattr(options, self.dest) or ()), *values))


def _add_common(parser: argparse.ArgumentParser, method: Method, action: Action) -> None:
    group = parser.add_argument_group("common options")
    if action.output:
        kind = method.kind(action.output)
        group.add_argument(
            "--out",
            metavar="DIR" if kind.folder else "PATH",
            help=f"write the {kind.title} here ({kind.formats})",
            required=action.writes,
        )
    group.add_argument("--json", action="store_true", help="print one JSON object on standard output")
    group.add_argument("--device", choices=DEVICES, default="auto", help="where to compute (default auto)")
    group.add_argument("--seed", type=_seed, default=0, help="seed of all random numbers (default 0)")
    group.add_argument("--checkpoint", metavar="PATH", help="use these weights instead of the shipped ones")
    group.add_argument("--debug", action="store_true", help="show the traceback of an error")


def _seed(text: str) -> int:
    if not text.isdigit():
        raise BadInput(f"--seed must be a whole number from 0, not {text!r}.")
    return int(text)


def _run_action(method: Method, action: Action, options: argparse.Namespace) -> int:
    from methods.core.runner import load_input, run_action, save_output

    declared = parameters.params_of(action.params)
    values = {p.name: v for p in declared if (v := getattr(options, p.name)) is not None or p.nullable}
    params = parameters.build(action.params, values)
    out = getattr(options, "out", None)
    if out is not None:
        _check_out(method, action, Path(out))
    if options.checkpoint and not Path(options.checkpoint).is_file():
        raise BadInput(f"{options.checkpoint} does not exist.", "Give a .safetensors file.")
    inputs = {}
    for declared in action.inputs:
        path = getattr(options, declared.name)
        if path is not None:
            inputs[declared.name] = load_input(method, declared.kind, path)
    token = CancelToken()
    context = Context(
        seed=options.seed,
        device=choose(options.device, action.torch),
        token=token,
        on_progress=_show_progress if sys.stderr.isatty() else None,
        checkpoint=options.checkpoint,
        log=_log_to_stderr(),
    )
    with _interrupt_cancels(token):
        result = run_action(method, action, inputs, params, context, None if out is None else Path(out))
    saved = out is not None and not result.failed
    if saved and not action.writes:
        save_output(method, action.output, result.value, out)
    for warning in result.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.json:
        print(json.dumps(result.to_dict(), allow_nan=False))
    else:
        print("\n".join(figures_text.lines(result.facts, result.provenance.seconds)))
        if saved:
            print(f"written: {out}")
    if result.failed:
        raise WorkFailed(result.failed)
    return DONE


def _check_out(method: Method, action: Action, out: Path) -> None:
    """Fail before the work, not after it, when its result could not be kept."""
    from methods.core.runner import check_place

    check_place(method, action.output, out)
    if not method.kind(action.output).folder and not out.absolute().parent.is_dir():
        raise BadInput(f"The folder {out.absolute().parent} does not exist.", "Create it first.")


def _show_progress(fraction: float, text: str) -> None:
    end = "\n" if fraction >= 1 else "\r"
    print(f"\033[K{fraction:4.0%} {text}", end=end, file=sys.stderr, flush=True)


def _log_to_stderr() -> logging.Logger:
    log = logging.getLogger("studiolo")
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
        log.addHandler(handler)
    return log


class _interrupt_cancels:
    """Within this block the first Ctrl-C cancels cooperatively and the second one interrupts at once."""

    def __init__(self, token: CancelToken) -> None:
        self.token = token

    def __enter__(self) -> None:
        def handle(signum: int, frame: object) -> None:
            if self.token.cancelled:
                raise KeyboardInterrupt
            self.token.cancel()

        self._before = signal.signal(signal.SIGINT, handle)

    def __exit__(self, *exc: object) -> None:
        signal.signal(signal.SIGINT, self._before)


def _tour(argv: list[str]) -> int:
    parser = _Parser(
        prog="studiolo tour", description="Open every panel on its sample and save a picture of each."
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="folder for the pictures")
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")
    options = parser.parse_args(argv)
    from app.tour import run_tour

    return run_tour(Path(options.out), as_json=options.json)


def _bench(argv: list[str]) -> int:
    parser = _Parser(prog="studiolo bench", description="Print the performance table.")
    parser.add_argument(
        "subject", nargs="?", default="all", help="a method, 'window', or all of it (default)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")
    parser.add_argument("--data", metavar="DIR", help="folder with further meshes to fit")
    options = parser.parse_args(argv)
    from app.bench import run_bench

    return run_bench(options.subject, as_json=options.json, data=options.data)


def _inspect(argv: list[str]) -> int:
    parser = _Parser(
        prog="studiolo inspect", description="Show what is inside a weights file or a model folder."
    )
    parser.add_argument("file", help="a .safetensors, .gguf, .pt, .pth, .bin or .npz file, or a folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")
    options = parser.parse_args(argv)
    from methods.core.inspect import describe, lines

    description = describe(Path(options.file))
    print(json.dumps(description, allow_nan=False) if options.json else "\n".join(lines(description)))
    return BAD_USAGE if description["refusal"] else DONE


_COMMANDS: dict[str, Callable[[list[str]], int]] = {"tour": _tour, "bench": _bench, "inspect": _inspect}
