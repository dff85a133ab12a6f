"""What the window exported, as a result that can be copied as a command. No Qt."""

from __future__ import annotations

import dataclasses
import datetime
from typing import TYPE_CHECKING

from methods.core import params as parameters
from methods.core.results import Provenance, Result
from methods.core.version import __version__

if TYPE_CHECKING:
    from app.panels.minim.document import Masking
    from app.panels.minim.readings import Outgoing
    from methods.core.declaration import Method

ACTION = "minimize"


def result_of(method: Method, state: Masking, outgoing: Outgoing, seconds: float, seed: int) -> Result | None:
    """The headless twin of an export; None when there is none, or for a pasted observation.

    A person's own secrets are left out: they do not belong into a shell's history.
    """
    action = next((a for a in method.actions if a.id == ACTION), None)
    if action is None or not state.source.path:
        return None
    known = {field.name for field in dataclasses.fields(action.params)}
    operators = tuple(f"{kind}={operator}" for kind, operator in sorted(dict(state.operators).items()))
    chosen = {"task": state.task, "tau_n": state.tau_n, "tau_s": state.tau_s, "operators": operators}
    params = action.params(**{name: value for name, value in chosen.items() if name in known})
    missing = [
        what
        for what, there in (("own secrets", state.secrets), ("decisions by hand", state.rulings))
        if there
    ]
    facts = {
        "decisions": outgoing.decisions.counts(),
        "tokens": {"before": outgoing.tokens[0], "after": outgoing.tokens[1]},
        "leak_check": outgoing.leaks.ok,
        "id_check": outgoing.leaks.ids_ok,
    }
    return Result(
        outgoing,
        facts,
        tuple(f"The command does not have your {what}." for what in missing),
        Provenance(
            method=method.id,
            action=action.id,
            version=f"{__version__}/{method.version}",
            parameters=parameters.as_dict(params),
            changed=parameters.changed(params),
            seed=seed,
            device="cpu",
            inputs={action.inputs[0].name: state.source} if action.inputs else {},
            checkpoint=None,
            started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            seconds=seconds,
        ),
    )
