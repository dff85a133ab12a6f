"""Damaged files of every format: a value or one clear line, never a crash, a hang or an eaten memory."""

import os
import subprocess
import sys

import pytest

from tests.fuzz import corpus
from tests.fuzz.mutate import mutated
from tests.shared import ROOT

SEED = 20261201


def run_batch(kind, first, count, folder):
    """Load mutations in a worker process -> (opened, refused); fails with the number of each culprit."""
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.worker",
        kind,
        str(SEED),
        str(first),
        str(count),
        str(folder),
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60 + count
    )
    lines = done.stdout.splitlines()
    bad = [line for line in lines if line.startswith("BAD")]
    assert not bad, f"{kind}, seed {SEED}:\n" + "\n".join(bad[:20])
    death = f"{kind}, seed {SEED}: the worker died (code {done.returncode}) at file {lines[-1:]}"
    assert lines and lines[-1].startswith("DONE"), f"{death}\n{done.stderr[-2000:]}"
    opened, refused = map(int, lines[-1].split()[1:])
    assert opened + refused == count
    return opened, refused


@pytest.mark.parametrize("kind", corpus.FORMATS)
def test_damaged_files(kind, tmp_path):
    opened, refused = run_batch(kind, 0, 200, tmp_path)
    assert opened and refused  # the damage is neither harmless nor total


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", corpus.FORMATS)
def test_many_damaged_files(kind, tmp_path):
    run_batch(kind, 200, 2000, tmp_path)


def test_damage_is_repeatable(tmp_path):
    for kind in corpus.FORMATS:
        seeds = corpus.files(kind, tmp_path)
        one = [mutated(seeds[0], seeds, SEED, number) for number in range(20)]
        assert one == [mutated(seeds[0], seeds, SEED, number) for number in range(20)]
        assert len(set(one)) > 15
