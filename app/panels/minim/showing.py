"""Brings the views and the inspector in line with the document and what is known about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.panels.minim import readings
from app.panels.minim.figures import Sums
from app.panels.minim.why import sentence

if TYPE_CHECKING:
    from app.panels.minim.panel import MinimPanel
    from app.panels.minim.readings import Scored
    from methods.minim.observation import Observation

CURVE_MS = 200
MOST_EXPOSED = 200


class Showing:
    """What is shown where. Cheap things follow at once; the curve waits until a drag rests."""

    def __init__(self, panel: MinimPanel) -> None:
        self._panel = panel
        self._sums: tuple[Scored, Sums] | None = None
        self._observation: Observation | None = None
        self._picture = ""
        self._picture_problem = ""
        self.preview = False
        self._curve = QTimer(panel)
        self._curve.setSingleShot(True)
        self._curve.setInterval(CURVE_MS)
        self._curve.timeout.connect(self._show_curve)

    def stop(self) -> None:
        self._curve.stop()

    # ------------------------------------------------------------------------------- the document itself

    def document(self) -> None:
        """Task, thresholds, steps and the picture."""
        panel = self._panel
        state, policy = panel.document.state, panel.inspector_.policy
        panel.task_bar.show_examples(state.examples)
        panel.task_bar.show_task(state.task)
        panel.task_bar.show_steps(state.step, len(state.trace))
        panel.inspector_.show_start(state.observation is None, bool(panel.method.samples))
        policy.show_thresholds(state.tau_n, state.tau_s, len(state.secrets))
        panel.views.show_thresholds(state.tau_n, state.tau_s)
        if state.observation is not self._observation or state.screenshot != self._picture:
            if state.observation is not self._observation and self._observation is not None:
                panel.selected = None
            self._observation, self._picture = state.observation, state.screenshot
            self._picture_problem = panel.views.show_observation(state.observation, state.screenshot)

    def toggle_preview(self) -> None:
        """Show the picture as it is exported, or all elements again."""
        self.preview = not self.preview
        self._show_preview()
        if not self.preview:
            self.decisions()

    def _show_preview(self) -> None:
        outgoing = self._panel.scoring.outgoing
        shown = self.preview and outgoing is not None and self._panel.views.picture_size() is not None
        self._panel.views.show_preview(outgoing.covered if shown and outgoing is not None else None)

    def doubts(self) -> tuple[str, ...]:
        """Why boxes may not match the picture; empty when they do."""
        from methods.minim.picture import doubts

        observation, size = self._panel.document.state.observation, self._panel.views.picture_size()
        return tuple(doubts(observation, size)) if observation is not None and size is not None else ()

    def say_doubts(self) -> None:
        panel = self._panel
        if self._picture_problem:
            panel.message("no-picture", name=Path(self._picture).name, why=self._picture_problem)
        doubts = self.doubts()
        if doubts:
            panel.message("doubts", doubts=" ".join(doubts))

    # -------------------------------------------------------------------------- scores and decisions

    def decisions(self) -> None:
        """Page, scores or decisions are new."""
        panel, scoring = self._panel, self._panel.scoring
        scored, decisions = scoring.scored, scoring.decisions
        if scored is None or decisions is None:
            self._sums = None
            panel.views.clear_decisions()
            panel.inspector_.observation.show_figures(None)
            panel.inspector_.observation.show_exposed(())
            panel.inspector_.policy.show_operators({}, ())
            self.selection()
            return
        if self._sums is None or self._sums[0] is not scored:
            self._sums = (scored, Sums(scored))
        figures = self._sums[1].figures(decisions.codes)
        panel.views.show_decisions(scored, decisions)
        view = panel.inspector_.observation
        view.show_figures(figures)
        elements = scored.page.observation.elements
        view.show_exposed([(uid, elements[uid].text) for uid in figures.exposed[:MOST_EXPOSED]])
        self._operators(scored)
        self.selection()
        self._curve.start()

    def _operators(self, scored: Scored) -> None:
        from methods.minim.findings import TYPES
        from methods.minim.operators import OPERATORS

        panel = self._panel
        chosen = readings.policy_of(panel.document.state).operators
        here = {kind for kind in scored.page.types if kind}
        types = {i: (t.title, chosen.get(i, OPERATORS[0])) for i, t in TYPES.items() if i in here}
        panel.inspector_.policy.show_operators(types, OPERATORS)

    def selection(self) -> None:
        """The selected element everywhere."""
        panel, scoring, inspector = self._panel, self._panel.scoring, self._panel.inspector_
        element = panel.selected_element
        panel.views.select(panel.selected if element is not None else None)
        inspector.observation.select(element.uid if element is not None else -1)
        if element is None:
            inspector.show_element_id("")
            empty = panel.document.state.observation is None
            inspector.element.show_nothing(
                "Open what an agent would see: a sample, a file, or a folder of steps."
                if empty
                else "Click an element to see why it stays or goes."
            )
            return
        inspector.show_element_id(element.native_id or str(element.uid))
        scored, decisions = scoring.scored, scoring.decisions
        if scored is None or decisions is None:
            inspector.element.show_nothing("Scoring…")
            return
        uid = element.uid
        inspector.element.show_element(
            sentence(scored, decisions, panel.document.state, scoring.overrides, uid),
            float(scored.s[uid]),
            float(scored.n[uid]),
            int(decisions.codes[uid]),
            decisions.by[uid],
            panel.deciding.overrides.locked(element),
            bool(scored.page.types[uid]),
        )

    def _show_curve(self) -> None:
        scoring, state = self._panel.scoring, self._panel.document.state
        if self._sums is not None and scoring.decisions is not None:
            sums, codes = self._sums[1], scoring.decisions.codes
            self._panel.views.show_curve(sums.curve(state.tau_s), (sums.tisl(codes), sums.tcnp(codes)))

    # ------------------------------------------------------------------------------------- what leaves

    def check(self) -> None:
        """The outgoing text is new, or out of date."""
        panel, scoring = self._panel, self._panel.scoring
        outgoing = scoring.outgoing
        obstacle = panel.exporter.obstacle()
        known = outgoing is not None and scoring.current and scoring.problem is None
        export = panel.inspector_.export
        if known and outgoing is not None:
            export.show_check(bool(outgoing.leaks.ok), bool(outgoing.leaks.ids_ok), obstacle)
            panel.inspector_.observation.show_tokens(outgoing.tokens)
            panel.views.show_outgoing(outgoing)
            if self.preview:
                self._show_preview()
        else:
            export.show_check(None, None, obstacle)
            if outgoing is None:
                panel.inspector_.observation.show_tokens(None)
        panel.services.update_commands()
