"""torchpaged as a model of lm-eval; importing it registers the name `torchpaged` there."""

from torchpaged.integrations.lm_eval.adapter import TorchPagedLM

__all__ = ["TorchPagedLM"]
