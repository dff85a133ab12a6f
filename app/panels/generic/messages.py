"""Everything the generic panel may tell a person."""

from app.panels.base import FAILURES, Message

MESSAGES = (
    *FAILURES,
    Message("input-missing", "information", "{action} needs {help}.", "Open a file or a sample first."),
    Message("no-input-fits", "error", "{name}: {method} opens no such file.", "It opens {known}."),
    Message("result-warnings", "warning", "{action}: {warnings}", ""),
    Message("stopped", "information", "{action} was stopped.", "The last result is still shown."),
    Message(
        "result-gone",
        "information",
        "Of this result only the figures are kept.",
        "Run the action again to export it.",
    ),
    Message("exported", "information", "Written: {path}", ""),
)
