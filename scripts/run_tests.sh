#!/bin/sh
# The test run in separate processes, so that a crash in native code cannot hide the rest.
set -u
PY=.venv/bin/python
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONFAULTHANDLER=1
failed=0
run() {
    echo "== $1"
    shift
    "$@" || failed=1
}
run "unit and fuzz" $PY -m pytest -q tests/unit tests/fuzz
run "widgets" env QT_QPA_PLATFORM=offscreen $PY -m pytest -q tests/gui
run "3D and end to end" env QT_QPA_PLATFORM=xcb \
    xvfb-run -a -s "-screen 0 1600x1000x24 +extension GLX" $PY -m pytest -q tests/gl tests/e2e
exit $failed
