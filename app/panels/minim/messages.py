"""Everything the panel may tell a person, with a remedy each. Nothing else is shown."""

from app.panels.base import FAILURES, Message

MESSAGES = (
    *FAILURES,
    Message("input-warnings", "warning", "{name}: {warnings}", ""),
    Message(
        "doubts",
        "warning",
        "Boxes may not match the picture. {doubts}",
        "The picture is not exported unless you ask for it.",
    ),
    Message("no-picture", "warning", "{name}: {why}.", "The layout is drawn from the boxes instead."),
    Message("nothing-open", "information", "Nothing is open yet.", "Open an observation or a sample first."),
    Message(
        "short-secret",
        "warning",
        "A secret of {length} characters is short.",
        "It is masked only where it stands alone.",
    ),
    Message("exported", "information", "Written to {path}: {files}.", ""),
    Message(
        "trace-opened",
        "information",
        "{count} steps in {path}.",
        "Ctrl+Page Up and Ctrl+Page Down step through.",
    ),
    Message("batch-done", "information", "{done} of {count} steps written to {path}.", "{failed}"),
)
