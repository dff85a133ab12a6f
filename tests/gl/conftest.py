"""A window with OpenGL; skips where the platform has none."""

import pytest


@pytest.fixture
def window(qapp):
    from app.shell.application import make_window

    window = make_window(safe_mode=True)
    window.resize(1400, 900)
    window.show()
    qapp.processEvents()
    yield window
    window.ask_to_save = lambda title: "discard"
    window.jobs.shutdown(5)
    window._clock.stop()
    window.log_view.detach()
    window.close()
    window.deleteLater()
    qapp.processEvents()


@pytest.fixture(scope="session")
def qapp_cls():
    from PySide6.QtWidgets import QApplication

    return QApplication


@pytest.fixture(scope="session")
def qapp():
    from app.shell.application import make_application

    return make_application()
