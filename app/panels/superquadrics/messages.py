"""Everything the panel may tell a person, with a remedy each. Nothing else is shown."""

from app.panels.base import Message

MESSAGES = (
    Message("bad-input", "error", "{what}", "{remedy}"),
    Message("work-failed", "error", "{what}", "{remedy}"),
    Message(
        "no-target", "information", "There is nothing to fit yet.", "Open a mesh or a point cloud first."
    ),
    Message("no-parts", "information", "There are no parts yet.", "Fit the target or add a part (Shift+A)."),
    Message("input-warnings", "warning", "{name}: {warnings}", ""),
    Message("result-warnings", "warning", "{action}: {warnings}", ""),
    Message(
        "subsampled",
        "information",
        "Showing {shown} of {total} points.",
        "Fits and figures use the shown points.",
    ),
    Message(
        "kept-partial",
        "information",
        "Stopped; the {count} parts found so far were kept.",
        "Undo removes them.",
    ),
    Message(
        "left-out",
        "information",
        "{action}: another target was opened meanwhile, so the result was left out.",
        "Run it again on this one.",
    ),
    Message("nothing-to-reduce", "information", "No merge or drop was worth proposing.", ""),
    Message("exported", "information", "Written: {path}", ""),
)
