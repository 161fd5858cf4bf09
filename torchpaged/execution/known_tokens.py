"""Tokens that were known before a step predicted them: logprobs of prompts, scores of given completions."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from torchpaged.execution.batch import prompt_logprob_positions
from torchpaged.execution.sampler import TokenLogprobs, token_logprobs, token_scores
from torchpaged.scheduler import ScheduledRequest


@dataclass(slots=True)
class Scored:
    """The tokens of given completions that a step predicts: whose, at which position, from which row of the logits."""

    owners: list[tuple[str, int]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)

    def add(self, item: ScheduledRequest, row: int, count: int) -> None:
        """The `count` rows of a request from `row` on; the last predicts its followers' first tokens too."""
        request = item.request
        end = item.num_computed_tokens + item.num_new_tokens  # position of what its last row predicts
        known = request.token_ids[end - count + 1 : end + 1]
        if item.samples:
            assert request.next_given is not None
            known.append(request.next_given)
        self.owners += [(item.request_id, position) for position in range(end - count + 1, end + 1)]
        self.rows += range(row, row + count)
        self.token_ids += known
        for follower in item.followers if item.samples else ():
            self.owners.append((follower.request_id, end))
            self.rows.append(row + count - 1)
            self.token_ids.append(follower.given[0])

    def scores(self, logits: Tensor) -> dict[str, dict[int, tuple[float, bool]]]:
        """By request and position."""
        found: dict[str, dict[int, tuple[float, bool]]] = {}
        if self.rows:
            for (name, position), score in zip(
                self.owners, token_scores(logits, self.rows, self.token_ids), strict=True
            ):
                found.setdefault(name, {})[position] = score
        return found


def prompt_logprobs(logits: Tensor, item: ScheduledRequest) -> dict[int, TokenLogprobs]:
    """By position: of the prompt tokens that a request's rows [num_rows, vocab_size] of a step predict."""
    count = item.request.params.prompt_logprobs
    assert count is not None
    positions = [item.num_computed_tokens + row + 1 for row in prompt_logprob_positions(item)]
    token_ids = [item.request.token_ids[position] for position in positions]
    return dict(zip(positions, token_logprobs(logits, token_ids, [count] * len(positions)), strict=True))
