"""PendingStep: a step in flight, whose results are tensors on their way to the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from torchpaged.execution.logits import NAN, LogitPlan, ScoreEntries, ScoreTensors
from torchpaged.execution.rows import Ints
from torchpaged.execution.sampler import Draws
from torchpaged.execution.swap_cost import Stopwatch
from torchpaged.ops import devices
from torchpaged.scheduling import Results, Scores, Step


@dataclass(slots=True)
class PendingScores:
    """Scores of known tokens.

    Args:
        entries: which tokens.
        tensors: scores of each entry, on the host once they have arrived.
        token_ids: [num_entries] int64, likewise.
    """

    entries: ScoreEntries
    tensors: ScoreTensors
    token_ids: Tensor


@dataclass(slots=True)
class PendingLogprobs:
    """Logprobs of drawn tokens.

    Args:
        places: which of the draws.
        counts: alternatives to report beside each.
        tensors: the numbers.
    """

    places: Ints
    counts: list[int]
    tensors: ScoreTensors


@dataclass(slots=True)
class UnsampledLogits:
    """Logits [num_draws, vocab_size] of all draws of a step in which some need a mask first."""

    logits: Tensor
    draws: Draws


@dataclass(slots=True)
class PendingStep:
    """A step in flight; `result` waits for it.

    Args:
        step: the step.
        copying, computing: time the step's copies and its forward; None if there were none.
        plan: what is needed of its logits; None: nothing.
        token_ids: [num_draws] int64 on the host, -1 where the logits are NaN; None: nothing is drawn, or not yet.
        scores, logprobs: where requests ask for them.
        hidden: requested hidden states, in the plan's order.
        unsampled: logits that `ModelRunner.sample` draws from; None: all tokens are drawn.
        failures: by draw, why it has no token, where that is known.
        drafts: by sequence, the drafts behind its last token: [num_drafts] int64, or the tokens.
        arrived: recorded after the copies to the host; None: nothing to wait for.
    """

    step: Step
    copying: Stopwatch | None = None
    computing: Stopwatch | None = None
    plan: LogitPlan | None = None
    token_ids: Tensor | None = None
    scores: PendingScores | None = None
    logprobs: PendingLogprobs | None = None
    hidden: list[Tensor] = field(default_factory=list)
    unsampled: UnsampledLogits | None = None
    failures: dict[int, str] = field(default_factory=dict)
    drafts: Mapping[int, Sequence[int] | Tensor] = field(default_factory=dict)
    arrived: torch.cuda.Event | None = field(default=None)

    def result(self) -> Results:
        """Wait for the step and return its results."""
        assert self.unsampled is None, f"step {self.step.number} waits for masks"
        if self.arrived is not None:
            with devices.current(self.arrived.device):
                self.arrived.synchronize()
        results = Results(self.step.number)
        if self.computing is not None:
            results.forward_seconds = self.computing.seconds()
        if self.copying is not None:
            results.copy_seconds = self.copying.seconds()
        if self.token_ids is not None and self.plan is not None:
            results.draws, results.tokens = self.plan.draws, self.token_ids.tolist()
            self._add_logprobs(results)
            if self.plan.lags is not None:
                self._cut_runs(results)
            self._drop_failed(results)
        if self.scores is not None:
            scored = self.scores
            results.scores, errors = scored.entries.results(scored.tensors, scored.token_ids.tolist())
            results.errors |= errors
        if self.hidden and self.plan is not None:
            for asked, values in zip(self.plan.hidden, self.hidden, strict=True):
                scores = results.scores.get(asked.id, Scores(asked.what.first))
                data = values.contiguous().numpy().tobytes()
                results.scores[asked.id] = replace(scores, hidden=asked.what, hidden_values=data)
        return results

    def _add_logprobs(self, results: Results) -> None:
        if self.logprobs is None:
            return
        places = self.logprobs.places.tolist()
        tokens = [results.tokens[place] for place in places]
        rows = self.logprobs.tensors.rows(tokens, self.logprobs.counts)
        for place, row in zip(places, rows, strict=True):
            results.logprobs.setdefault(results.draws[place], []).append(row)

    def _cut_runs(self, results: Results) -> None:
        """Accept drafts: cut each sequence's tokens behind the first one that differs from the draft at its place.

        Tokens behind that were drawn after a rejected draft. A draw that failed (-1) is dropped unless it is the first:
        the next step draws it again, and reports the failure.
        """
        tokens, drawn, drafts = results.tokens, results.draws, self.drafts
        results.draws, results.tokens, results.lengths = [], [], []
        begin = 0
        while begin < len(drawn):
            id = drawn[begin]
            own = drafts.get(id, ())
            own = own.tolist() if isinstance(own, Tensor) else own
            run = tokens[begin : begin + len(own) + 1]
            begin += len(run)
            rejected = (place for place, token in enumerate(own) if token != run[place])
            run = run[: next(rejected, len(own)) + 1]
            if len(run) > 1 and run[-1] < 0:
                run.pop()
            results.draws.append(id)
            results.tokens += run
            results.lengths.append(len(run))
            if id in results.logprobs:
                del results.logprobs[id][len(run) :]

    def _drop_failed(self, results: Results) -> None:
        """Replace draws without a token by errors."""
        if min(results.tokens, default=0) >= 0:
            return
        runs = list(results.runs())
        failed = [draw for draw, run in runs if run[0] < 0]
        results.errors = {draw: self.failures.get(draw, NAN) for draw in failed}
        for draw in failed:
            results.logprobs.pop(draw, None)
        runs = [(draw, run) for draw, run in runs if draw not in results.errors]
        results.draws = [draw for draw, _ in runs]
        results.tokens = [token for _, run in runs for token in run]
        if results.lengths is not None:
            results.lengths = [len(run) for _, run in runs]
