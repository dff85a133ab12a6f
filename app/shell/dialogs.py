"""The window's own dialogs: recovery, unsaved changes, about a method, what is in a checkpoint, a report."""

from __future__ import annotations

import json
import platform
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QListWidget,
    QMessageBox,
    QTableWidget,
    QTableWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.project.autosave import Recovery
from methods.core.declaration import Method
from methods.core.version import __version__


def ask_to_save(parent: QWidget, title: str) -> str:
    """``save``, ``discard`` or ``cancel``."""
    box = QMessageBox(
        QMessageBox.Icon.Question, "Unsaved changes", f"{title} has unsaved changes.", parent=parent
    )
    box.setInformativeText("Save them first?")
    kinds = QMessageBox.StandardButton
    box.setStandardButtons(kinds.Save | kinds.Discard | kinds.Cancel)
    box.setDefaultButton(kinds.Save)
    return {kinds.Save: "save", kinds.Discard: "discard"}.get(kinds(box.exec()), "cancel")


class RecoveryDialog(QDialog):
    """Offers work that a crashed run left behind. ``choice`` is restore, discard or later."""

    def __init__(self, found: Sequence[Recovery], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Recover unsaved work")
        self.choice = "later"
        self._found = found
        about = QLabel("The program did not end properly last time. This work was kept:")
        about.setWordWrap(True)
        self._list = QListWidget()
        self._list.setAccessibleName("Work that can be recovered")
        for recovery in found:
            self._list.addItem(f"{recovery.title}, last change {recovery.saved:%Y-%m-%d %H:%M:%S}")
        self._list.setCurrentRow(0)
        box = QDialogButtonBox()
        roles = QDialogButtonBox.ButtonRole
        for text, role, act in (
            ("Restore", roles.AcceptRole, lambda: self._choose("restore")),
            ("Discard", roles.DestructiveRole, lambda: self._choose("discard")),
            ("Show folder", roles.HelpRole, self._show_folder),
            ("Later", roles.RejectRole, lambda: self._choose("later")),
        ):
            box.addButton(text, role).clicked.connect(act)
        layout = QVBoxLayout(self)
        for widget in (about, self._list, box):
            layout.addWidget(widget)

    def chosen(self) -> Recovery:
        return self._found[max(self._list.currentRow(), 0)]

    def _choose(self, choice: str) -> None:
        self.choice = choice
        self.accept()

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._found[0].path.parent)))


def about_method(method: Method, parent: QWidget) -> QDialog:
    """Paper, what is theirs and what is ours, limits, weights with their cards."""
    paper = method.paper
    text = [
        f"# {method.title}",
        method.summary,
        f"**Paper.** {paper.authors}{': ' if paper.authors else ''}*{paper.title}*, "
        f"{paper.venue} {paper.year}, {paper.link}",
        f"**From the paper.** {paper.theirs}",
        f"**Ours.** {paper.ours}",
        f"**Limits.** {paper.limits}",
    ]
    for checkpoint in method.checkpoints:
        card = checkpoint.path.with_name(checkpoint.card)
        text.append(card.read_text(encoding="utf-8") if card.exists() else f"**{checkpoint.title}**")
    if not method.checkpoints:
        text.append("**Weights.** None: nothing in this method is learned.")
    return _text_dialog(f"About {method.title}", "\n\n".join(text), parent)


def about_program(parent: QWidget) -> QDialog:
    text = (
        f"# Studiolo {__version__}\n\nA workbench for looking inside machine-learning methods.\n\n"
        "It opens no network connection and sends nothing anywhere.\n\n"
        f"Python {platform.python_version()} on {platform.platform()}\n\nApache-2.0"
    )
    return _text_dialog("About Studiolo", text, parent)


def _text_dialog(title: str, markdown: str, parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    dialog.resize(560, 460)
    text = QTextBrowser()
    text.setAccessibleName(title)
    text.setOpenExternalLinks(True)
    text.setMarkdown(markdown)
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    box.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    layout.addWidget(text)
    layout.addWidget(box)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog


def checkpoint_dialog(description: dict[str, Any], parent: QWidget) -> QDialog:
    """Header and tensors of a weights file."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(f"Inside {description.get('name', 'the file')}")
    dialog.resize(640, 480)
    from methods.core.inspect import head

    about = QLabel("\n".join(line.strip() for line in head(description)[1:]))
    about.setWordWrap(True)
    about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    tensors = description["tensors"]
    table = QTableWidget(len(tensors), 4)
    table.setAccessibleName("Tensors")
    table.setHorizontalHeaderLabels(["tensor", "type", "shape", "bytes"])
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for row, tensor in enumerate(tensors):
        shape = " × ".join(map(str, tensor["shape"])) or "scalar"
        for column, cell in enumerate((tensor["name"], tensor["dtype"], shape, f"{tensor['bytes']:,}")):
            table.setItem(row, column, QTableWidgetItem(cell))
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    box.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    for widget in (about, table, box):
        layout.addWidget(widget)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog


def write_report(path: Path, log_lines: Sequence[str], settings: dict[str, Any]) -> None:
    """A zip for *Report a problem*: versions, log and settings, without the person's data or folders."""
    import importlib.metadata

    home = str(Path.home())
    names = ("PySide6_Essentials", "vispy", "numpy", "scipy", "torch", "trimesh", "libigl")
    versions = {"studiolo": __version__, "python": sys.version, "platform": platform.platform()}
    for name in names:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    kept = {k: v for k, v in settings.items() if k not in ("recent", "last_folder")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("versions.json", json.dumps(versions, indent=1))
        archive.writestr("settings.json", json.dumps(kept, indent=1))
        archive.writestr("log.txt", "\n".join(log_lines).replace(home, "~"))
