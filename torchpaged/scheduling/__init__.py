"""Scheduling: decides which sequences run next. Pure Python: no tensors, no requests."""

from torchpaged.scheduling.scheduler import Progress, Scheduler
from torchpaged.scheduling.sequence import NOTHING_MORE, EncoderInput, SamplingRequest, Sequence, Status, StopRule
from torchpaged.scheduling.step import Fork, HiddenRows, NewSequence, Results, RowParams, Scores, Step, TokenLogprobs

__all__ = [
    "NOTHING_MORE",
    "EncoderInput",
    "Fork",
    "HiddenRows",
    "NewSequence",
    "Progress",
    "Results",
    "RowParams",
    "SamplingRequest",
    "Scheduler",
    "Scores",
    "Sequence",
    "Status",
    "Step",
    "StopRule",
    "TokenLogprobs",
]
