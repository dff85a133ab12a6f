"""Writes what the export dialog asked for, in jobs, and says where it went."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QBuffer, QByteArray

from app.panels.superquadrics.exports import ExportChoice
from methods.core.atomic import write_atomically
from methods.core.errors import BadInput, StudioloError
from methods.core.results import Result
from methods.core.runner import run_action, save_output

if TYPE_CHECKING:
    import numpy as np

    from app.panels.superquadrics.panel import SuperquadricsPanel

PICTURES = {"picture": (".png",), "turntable": (".gif",)}
ACTIONS = {"mesh": "mesh", "points": "sample"}


class Exporter:
    """Asks for the file and writes it; errors go to the panel's message bar."""

    def __init__(self, panel: SuperquadricsPanel) -> None:
        self._panel = panel

    def ask(self, choice: ExportChoice, params: Any) -> None:
        suffixes = PICTURES.get(choice.id) or self._panel.method.kind(choice.id).suffixes
        path = self._panel.services.save_file_dialog(f"Export {choice.title.lower()}", suffixes)
        if path is not None:
            self.write(choice.id, params, Path(path))

    def write(self, kind: str, params: Any, path: Path) -> None:
        """Write one export to ``path``; its suffix chooses the format."""
        try:
            if kind == "parts":
                save_output(self._panel.method, "parts", self._panel.operations.shape, path)
                self._done(path)
            elif kind == "picture":
                self._write_picture(params, path)
            elif kind == "turntable":
                self._write_turntable(params, path)
            else:
                self._run_and_save(kind, params, path)
        except (StudioloError, OSError) as error:
            self._panel.show_error(error)

    def _run_and_save(self, kind: str, params: Any, path: Path) -> None:
        panel = self._panel
        action = panel.method.action(ACTIONS[kind])
        inputs = {"parts": panel.runs.inputs.parts(panel.operations.shape)}

        def work(context: Any) -> Result:
            result = run_action(panel.method, action, inputs, params, context)
            save_output(panel.method, action.output, result.value, path)
            return result

        def done(result: Result) -> None:
            panel.result_ready(result)
            self._done(path)

        panel.services.jobs.submit(
            f"Export {path.name}", work, owner=panel, on_done=done, on_error=panel.show_error
        )

    def _write_picture(self, params: Any, path: Path) -> None:
        image = self._panel.scene.screenshot(params.scale)
        data, buffer = QByteArray(), QBuffer()
        buffer.setBuffer(data)
        if not image.save(buffer, path.suffix[1:].upper()):
            raise BadInput(f"{path.name} cannot be written as a picture.", "Choose a name ending in .png.")
        write_atomically(path, bytes(data.data()))
        self._done(path)

    def _write_turntable(self, params: Any, path: Path) -> None:
        """Frames are drawn here, where the OpenGL context lives; encoding goes to a job."""
        frames = list(self._panel.scene.render_turntable(params.frames, (params.size, params.size)))
        self._panel.services.jobs.submit(
            f"Export {path.name}",
            lambda context: write_gif(frames, params.seconds, path),
            owner=self._panel,
            on_done=lambda _: self._done(path),
            on_error=self._panel.show_error,
        )

    def _done(self, path: Path) -> None:
        self._panel.message("exported", path=str(path))


def write_gif(frames: list[np.ndarray], seconds: float, path: Path) -> None:
    """RGB frames ``[height, width, 3]`` uint8 as an endless GIF of ``seconds`` length."""
    from PIL import Image

    images = [Image.fromarray(frame).quantize(128, dither=Image.Dither.NONE) for frame in frames]
    stream = io.BytesIO()
    images[0].save(
        stream,
        format="GIF",
        save_all=True,
        append_images=images[1:],
        loop=0,
        duration=max(20, round(1000 * seconds / len(images))),
    )
    write_atomically(path, stream.getvalue())
