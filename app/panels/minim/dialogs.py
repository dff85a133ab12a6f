"""Questions the panel asks: a reason, the person's own secrets, what to export."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

FILLS = ("opaque", "blur (not safe)")


class _Question(QDialog):
    """A title, a sentence, whatever is asked, and OK or Cancel."""

    def __init__(self, title: str, text: str, ok: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(420)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 16, 16, 12)
        self.column.setSpacing(10)
        said = QLabel(text)
        said.setWordWrap(True)
        self.column.addWidget(said)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.ok.setText(ok)
        self.ok.setProperty("role", "primary")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    def finish(self) -> None:
        self.column.addWidget(self.buttons)


class ReasonDialog(_Question):
    """Why something that the floor protects may leave all the same; an empty reason is none."""

    def __init__(self, what: str, kind: str, parent: QWidget | None = None) -> None:
        text = f"{what} holds something that never leaves as it is: {kind}. Keeping it needs a reason."
        super().__init__(
            "Keep it all the same?", f"{text} The reason goes into the manifest.", "Keep", parent
        )
        self.line = QLineEdit()
        self.line.setAccessibleName("Reason")
        self.line.setPlaceholderText("For example: a test account, the code is used up")
        self.line.textChanged.connect(lambda text: self.ok.setEnabled(bool(text.strip())))
        self.ok.setEnabled(False)
        self.column.addWidget(self.line)
        self.finish()

    def reason(self) -> str:
        return " ".join(self.line.text().split())


class SecretsDialog(_Question):
    """One secret per line."""

    def __init__(self, secrets: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(
            "My secrets",
            "Texts that must never leave, one per line. They stay in this project on this machine.",
            "Use them",
            parent,
        )
        self.editor = QPlainTextEdit("\n".join(secrets))
        self.editor.setAccessibleName("My secrets")
        self.column.addWidget(self.editor)
        self.finish()

    def secrets(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.editor.toPlainText().splitlines())
        return tuple(dict.fromkeys(line for line in lines if line))


@dataclass(frozen=True)
class ExportChoice:
    """Whether the picture is written, and how private places in it are covered."""

    picture: bool
    blur: bool


NO_PICTURE = ExportChoice(False, False)


class ExportDialog(_Question):
    """What is written besides the minimised observation and the manifest."""

    def __init__(self, has_picture: bool, doubts: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(
            "Export what leaves",
            "Writes the minimised observation in its own format and a manifest (policy, decisions, hashes; "
            "no originals). Every written file is checked once more.",
            "Choose a folder…",
            parent,
        )
        self.picture = QCheckBox("The screenshot, with private places covered")
        self.picture.setEnabled(has_picture)
        self.picture.setChecked(has_picture and not doubts)
        if not has_picture:
            self.picture.setToolTip("No picture lies beside the observation")
        self.column.addWidget(self.picture)
        if doubts:
            warning = QLabel(f"Boxes may not match the picture. {' '.join(doubts)}")
            warning.setWordWrap(True)
            warning.setProperty("role", "problem")
            self.column.addWidget(warning)
        self.fill = QComboBox()
        self.fill.setAccessibleName("How private places are covered")
        self.fill.addItems(FILLS)
        self.fill.setItemData(1, "A blur can often be undone", Qt.ItemDataRole.ToolTipRole)
        self.fill.setEnabled(self.picture.isChecked())
        self.picture.toggled.connect(self.fill.setEnabled)
        self.column.addWidget(self.fill)
        self.finish()

    def choice(self) -> ExportChoice:
        return ExportChoice(self.picture.isChecked(), self.fill.currentIndex() == 1)
