"""Judge transformers' decoders one by one, for the table in integrations/families.py: equal to eager, or not.

python -m tests.integrations.judge_families [MODEL_TYPE ...]     (none: those that the table does not support)

A verdict of "equal" is a beginning: read the model's code for what a tiny model does not show, such as a token
budget that 43 tokens do not reach, before it goes into the table.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, logging
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from tests import models
from tests.integrations.family_models import SPECIAL
from tests.integrations.test_families import Steps, compare_every_logit
from torchpaged.integrations.families import SUPPORTED
from torchpaged.integrations.transformers import adapter

# Where nothing is said of a family: what keeps most of them small.
_SMALL: dict[str, Any] = {
    "moe_intermediate_size": 32,
    "shared_expert_intermediate_size": 32,
    "n_routed_experts": 4,
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 1,
    "topk_group": 1,
}
_MOST_PARAMETERS, _SECONDS = 30_000_000, 60


def judge(kind: str) -> str:
    """Return the verdict on one model type, in one line."""
    settings = SPECIAL.get(kind, _SMALL)
    with torch.device("meta"):
        wanted = {name: value for name, value in {**models.COMMON, **settings}.items() if value is not models.OMIT}
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **wanted))
    if (size := sum(parameter.numel() for parameter in model.parameters())) > _MOST_PARAMETERS:
        return f"{size / 1e6:.0f} million parameters: say in family_models.SPECIAL what makes it small"
    steps = Steps(models.build(kind, seed=5, **settings))
    compare_every_logit(steps)
    return "equal"


def main(kinds: list[str]) -> None:
    """Prints a verdict for each."""
    logging.set_verbosity_error()
    adapter.unsupported_reason = lambda config: None  # type: ignore[assignment]  # the table is what is asked for

    def give_up(*_: Any) -> None:
        raise TimeoutError(f"more than {_SECONDS} s")

    signal.signal(signal.SIGALRM, give_up)
    for kind in kinds or sorted(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.keys() - set(SUPPORTED)):
        signal.alarm(_SECONDS)
        try:
            verdict = judge(kind)
        except Exception as error:  # any error of a model's code is a verdict
            message = " ".join(str(error).split("; supported are")[0].split())
            verdict = f"{type(error).__name__}: {message[:200]}"
        signal.alarm(0)
        print(f"{kind:<28}{verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
