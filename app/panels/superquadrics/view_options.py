"""How the 3D view is looked at: display mode, target, clip plane, gizmo; with a quiet tool bar on top."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QSlider, QToolButton, QVBoxLayout, QWidget

from app.theme import Theme
from app.views.scene3d import SceneView

DISPLAYS = ("solid", "wireframe", "points")
GIZMOS = (
    ("translate", "Move", "mdi6.cursor-move", "Move (G)"),
    ("rotate", "Rotate", "mdi6.rotate-3d-variant", "Rotate (R)"),
    ("scale", "Scale", "mdi6.resize", "Scale (S)"),
)


class ViewOptions:
    """The view's switches; commands and the tool bar change the same ones."""

    def __init__(self, scene: SceneView, theme: Theme) -> None:
        self._scene, self._theme = scene, theme
        self._icons: list[tuple[QToolButton, str]] = []

    def with_toolbar(self) -> QWidget:
        """The scene under its tool bar."""
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._toolbar())
        layout.addWidget(self._scene, 1)
        return box

    def _toolbar(self) -> QWidget:
        bar = QWidget()
        bar.setProperty("role", "dock-title")
        row = QHBoxLayout(bar)
        row.setContentsMargins(8, 2, 8, 4)
        row.setSpacing(4)
        group = QButtonGroup(bar)
        self._gizmos: dict[str, QToolButton] = {}
        for kind, title, icon, tip in GIZMOS:
            button = self._button(icon, tip, checkable=True)
            button.setAccessibleName(f"{title} handles")
            button.clicked.connect(lambda _=False, kind=kind: self.set_gizmo(kind))
            group.addButton(button)
            row.addWidget(button)
            self._gizmos[kind] = button
        self._gizmos["translate"].setChecked(True)
        self._local = self._button("mdi6.axis-arrow", "Handles along the part's own axes", checkable=True)
        self._local.toggled.connect(self._set_local)
        row.addWidget(self._local)
        row.addSpacing(8)
        self._display = QComboBox()
        self._display.addItems(DISPLAYS)
        self._display.setAccessibleName("Display")
        self._display.currentTextChanged.connect(self._scene.set_display)
        row.addWidget(self._display)
        self._target = self._button("mdi6.layers-outline", "Show the target (T)", checkable=True)
        self._target.setChecked(True)
        self._target.toggled.connect(lambda _: self._show_target())
        self._opacity = QSlider(Qt.Orientation.Horizontal)
        self._opacity.setRange(5, 100)
        self._opacity.setValue(round(100 * self._scene.target_opacity))
        self._opacity.setFixedWidth(72)
        self._opacity.setToolTip("Opacity of the target")
        self._opacity.setAccessibleName("Opacity of the target")
        self._opacity.valueChanged.connect(lambda _: self._show_target())
        row.addWidget(self._target)
        row.addWidget(self._opacity)
        row.addSpacing(8)
        self._clip = QComboBox()
        self._clip.addItems(["no clip", "clip x", "clip y", "clip z", "clip −x", "clip −y", "clip −z"])
        self._clip.setAccessibleName("Clip plane")
        self._clip.currentIndexChanged.connect(lambda _: self._show_clip())
        self._clip_at = QSlider(Qt.Orientation.Horizontal)
        self._clip_at.setRange(0, 1000)
        self._clip_at.setValue(500)
        self._clip_at.setFixedWidth(96)
        self._clip_at.setAccessibleName("Place of the clip plane")
        self._clip_at.valueChanged.connect(lambda _: self._show_clip())
        self._clip_at.hide()
        row.addWidget(self._clip)
        row.addWidget(self._clip_at)
        row.addStretch(1)
        for icon, tip, act in (
            ("mdi6.fit-to-page-outline", "Frame selection (F)", self._scene.frame_selection),
            ("mdi6.arrow-expand-all", "Frame all (Home)", self._scene.frame_all),
        ):
            button = self._button(icon, tip)
            button.clicked.connect(lambda _=False, act=act: act())
            row.addWidget(button)
        return bar

    def _button(self, icon: str, tip: str, checkable: bool = False) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "flat")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setCheckable(checkable)
        self._icons.append((button, icon))
        return button

    def refresh_icons(self) -> None:
        for button, icon in self._icons:
            button.setIcon(self._theme.icon(icon))

    def set_gizmo(self, kind: str) -> None:
        self._gizmos[kind].setChecked(True)
        self._scene.gizmo_kind = kind
        self._scene.redraw()

    def begin(self, kind: str) -> None:
        """A keyboard transform; the handles follow its kind."""
        self.set_gizmo(kind)
        self._scene.begin_transform(kind)

    def cycle_display(self) -> None:
        self._display.setCurrentIndex((self._display.currentIndex() + 1) % len(DISPLAYS))

    def toggle_target(self) -> None:
        self._target.toggle()

    def toggle_clip(self) -> None:
        """No plane, or the last one again."""
        self._clip.setCurrentIndex(0 if self._clip.currentIndex() else 1)

    def toggle_fly(self) -> None:
        self._scene.set_flying(not self._scene.flying)

    def toggle_up(self) -> None:
        """Turn between z up and y up, for files that disagree."""
        self._scene.set_up_axis(1 if self._scene.camera.up == 2 else 2)

    def _set_local(self, on: bool) -> None:
        self._scene.local_axes = on
        self._scene.redraw()

    def _show_target(self) -> None:
        self._scene.set_target_look(self._target.isChecked(), self._opacity.value() / 100)

    def _show_clip(self) -> None:
        index = self._clip.currentIndex()
        self._clip_at.setVisible(index > 0)
        if index == 0:
            self._scene.set_clip(None)
        else:
            self._scene.set_clip((index - 1) % 3, self._clip_at.value() / 1000, flipped=index > 3)
