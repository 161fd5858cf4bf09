"""Request: when a token is the last one, and what a step could compute."""

from __future__ import annotations

import pytest

from torchpaged.request import Request, RequestStatus
from torchpaged.sampling_params import SamplingParams

EOS, STOP, TEXT = 2, 7, 40


def make(*, max_total_tokens: int = 100, prompt: int = 3, **params: object) -> Request:
    chosen = SamplingParams(**{"max_tokens": 50, **params})  # type: ignore[arg-type]
    return Request("a", [TEXT] * prompt, chosen, arrival=1, max_total_tokens=max_total_tokens, eos_token_ids=[EOS, 3])


def test_counts() -> None:
    request = make(prompt=4)
    assert (request.num_tokens, request.num_prompt_tokens, request.num_output_tokens) == (4, 4, 0)
    assert request.num_uncomputed_tokens == 4
    request.num_computed_tokens = 4
    request.append(9)
    assert (request.num_tokens, request.num_output_tokens, request.num_uncomputed_tokens) == (5, 1, 1)
    assert request.output_token_ids == [9]
    assert request.finish_reason is None and not request.finished
    request.status = RequestStatus.RUNNING
    request.check()


def test_the_prompt_is_copied() -> None:
    prompt = [1, 2, 3]
    request = Request("a", prompt, SamplingParams(), arrival=1, max_total_tokens=10)
    request.append(4)
    assert prompt == [1, 2, 3]


@pytest.mark.parametrize(
    ("params", "tokens", "reason", "stop_reason"),
    [
        pytest.param({}, [EOS], "stop", None, id="eos"),
        pytest.param({}, [TEXT, 3], "stop", None, id="second-eos"),
        pytest.param({"ignore_eos": True}, [EOS, TEXT], None, None, id="ignore-eos"),
        pytest.param({"stop_token_ids": [STOP]}, [TEXT, STOP], "stop", STOP, id="stop-token"),
        pytest.param({"ignore_eos": True, "stop_token_ids": [EOS]}, [EOS], "stop", EOS, id="eos-as-stop-token"),
        pytest.param({"max_tokens": 2}, [TEXT, TEXT], "length", None, id="max-tokens"),
        pytest.param({"max_tokens": 2}, [TEXT, EOS], "stop", None, id="eos-at-max-tokens"),
        pytest.param({"min_tokens": 2}, [EOS], None, None, id="eos-before-min-tokens"),
        pytest.param({"min_tokens": 2}, [TEXT, EOS], "stop", None, id="eos-at-min-tokens"),
        pytest.param({"min_tokens": 2, "stop_token_ids": [STOP]}, [STOP], None, None, id="stop-before-min-tokens"),
        pytest.param({"max_total_tokens": 5}, [TEXT, TEXT], "length", None, id="max-total-tokens"),
        pytest.param({"max_total_tokens": 5}, [TEXT], None, None, id="below-max-total-tokens"),
    ],
)
def test_end(params: dict[str, object], tokens: list[int], reason: str | None, stop_reason: int | None) -> None:
    request = make(**params)  # type: ignore[arg-type]
    for token in tokens:
        assert not request.finished
        request.append(token)
    assert (request.finish_reason, request.stop_reason) == (reason, stop_reason)
    assert request.output_token_ids == tokens


@pytest.mark.parametrize("status", list(RequestStatus), ids=lambda status: status.name)
def test_which_states_are_ends(status: RequestStatus) -> None:
    going_on = (RequestStatus.WAITING, RequestStatus.RUNNING, RequestStatus.PREEMPTED, RequestStatus.SWAPPED)
    assert status.finished == (status not in going_on)


def test_check_sees_a_waiting_request_with_computed_tokens() -> None:
    request = make()
    request.num_computed_tokens = 1
    with pytest.raises(AssertionError):
        request.check()
