"""lm-eval's client for servers gives the scores of lm-eval in process: `evals/serve_lm_eval.py`."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("tenacity", reason="tenacity is not installed: pip install 'lm-eval[api]'")

from evals import serve_lm_eval


def test_scores_over_http_are_those_in_process() -> None:
    report = serve_lm_eval.compare(serve_lm_eval.STDLIB_LM, 12)
    assert report == {"scored": 12, "most_apart": 0.0, "greedy_alike": 12, "continued": 3, "texts_alike": 3}
