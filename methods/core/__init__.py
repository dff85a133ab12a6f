"""The method core: declarations, parameters, contexts, results. No Qt, nothing heavy."""

from methods.core.context import Cancelled, CancelToken, Context
from methods.core.declaration import Action, Checkpoint, Input, Kind, Method, Paper, Sample
from methods.core.errors import BadInput, BadParameter, StudioloError, WorkFailed
from methods.core.params import Choice, Flag, Number, Text
from methods.core.registry import method, methods
from methods.core.results import Outcome, Provenance, Result
from methods.core.runner import run

__all__ = [
    "Action",
    "BadInput",
    "BadParameter",
    "CancelToken",
    "Cancelled",
    "Checkpoint",
    "Choice",
    "Context",
    "Flag",
    "Input",
    "Kind",
    "Method",
    "Number",
    "Outcome",
    "Paper",
    "Provenance",
    "Result",
    "Sample",
    "StudioloError",
    "Text",
    "WorkFailed",
    "method",
    "methods",
    "run",
]
