"""`why_not_exact`: whether a row of logits has the same bits whatever else its step computes: tried, not derived."""

from __future__ import annotations

import torch
from torch import Tensor

from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.models.model import PagedModel

# Rows of decode steps: a matrix product has kernels for some numbers of rows, often up to 16, and one for the rest.
_BATCHES = (2, 4, 8, 16, 17)
# Of these sequences it is known what they give alone: two of all batches, and one of the largest.
_ALONE = (0, 1, _BATCHES[-1] - 1)
# Tokens before a decode, of a prompt that is also computed one by one, and of one that is so but for its last token.
_CONTEXT, _SHORT, _LONG = 3, 4, 37
_BLOCK, _BLOCKS_OF_PROMPT = 16, 3


def is_exact(model: PagedModel) -> bool:
    """Whether `why_not_exact` finds no reason."""
    return why_not_exact(model) is None


def why_not_exact(model: PagedModel) -> str | None:
    """None where a row's logits are the same, bit for bit, alone, in batches, beside a prefill and as the last of one.

    It is found out on this machine with this number of threads, by about 15 small steps over a pool of its own, fewer
    where they differ. Nothing is tried on CUDA, or of models with an encoder or with short attention chunks. What is
    compiled of a model is not tried.
    """
    spec = model.spec
    longest = _BLOCK * _BLOCKS_OF_PROMPT
    chunked = any(shape.within(longest).attention_chunk_size for shape in spec.layers.values())
    if spec.device.type != "cpu":
        return f"it is on {spec.device.type}, where nobody has tried"
    if model.encoder is not None or chunked:
        return "it has an encoder" if model.encoder is not None else f"its attention chunks are within {longest} tokens"
    with torch.inference_mode():
        return _Trial(model).difference()


class _Trial:
    """Sequences of random tokens: as many as the largest batch, a block each, and behind them a prompt."""

    def __init__(self, model: PagedModel) -> None:
        spec, most = model.spec, _BATCHES[-1]
        self._model = model
        num_blocks = 1 + most + _BLOCKS_OF_PROMPT
        pool = PagedKVCache(spec.layers, num_blocks, _BLOCK, spec.dtype, spec.device)
        self._caches = pool.by_layer()
        self._tables = torch.zeros(most + 1, _BLOCKS_OF_PROMPT, dtype=torch.int32)
        self._tables[:most, 0] = torch.arange(1, most + 1)
        self._tables[most] = torch.arange(most + 1, num_blocks)
        generator = torch.Generator().manual_seed(0)
        self._tokens = torch.randint(spec.vocab_size, (most + 1, _BLOCK * _BLOCKS_OF_PROMPT), generator=generator)

    def difference(self) -> str | None:
        """The first that is found."""
        most = _BATCHES[-1]
        self._logits([(each, 0, _CONTEXT) for each in range(most)])
        decodes = [(each, _CONTEXT, 1) for each in range(most)]
        known: dict[int, Tensor] = {}  # by sequence, what it gave first
        for count in _BATCHES:
            # The other way round: a sequence has another place in each batch.
            for each, logits in zip(range(count)[::-1], self._logits(decodes[:count][::-1]), strict=True):
                if each in _ALONE and each not in known:
                    known[each] = self._logits([decodes[each]])[0]
                if not torch.equal(logits, known.setdefault(each, logits)):
                    return f"a row's logits among {count} have other bits than alone"
        one_by_one = [self._logits([(most, token, 1)]) for token in range(_SHORT)]
        if not torch.equal(self._logits([(most, 0, _SHORT)]), one_by_one[-1]):
            return f"logits behind a prefill of {_SHORT} tokens have other bits than behind the same one by one"
        self._logits([(most, 0, _LONG - 1)])
        last = self._logits([(most, _LONG - 1, 1)])
        if not torch.equal(self._logits([decodes[0], (most, 0, _LONG)]), torch.stack([known[0], last[0]])):
            return f"logits of a decode beside a prefill of {_LONG} tokens, or of the prefill, have other bits"
        return None

    def _logits(self, parts: list[tuple[int, int, int]]) -> Tensor:
        """[len(parts), vocab_size] behind the last token of each part: (sequence, first token, how many)."""
        least = self._model.spec.least
        sequences = torch.tensor([each for each, _, _ in parts])
        places = [torch.arange(first, first + count) for _, first, count in parts]
        lens = torch.tensor([first + count for _, first, count in parts], dtype=torch.int32)
        starts = torch.tensor([0, *(len(each) for each in places)], dtype=torch.int32).cumsum(0, dtype=torch.int32)
        ends = starts[1:].long() - 1
        tokens = torch.cat([self._tokens[each, own] for each, own in zip(sequences, places, strict=True)])
        slots = torch.cat(
            [
                self._tables[each].long()[own // _BLOCK] * _BLOCK + own % _BLOCK
                for each, own in zip(sequences, places, strict=True)
            ]
        )
        metadata = AttentionMetadata(
            slot_mapping=_padded(slots, least, -1),
            block_tables=_padded(self._tables[sequences], least, 0),
            seq_lens=_padded(lens, least, 0),
            query_start_loc=_padded(starts, least + 1, int(starts[-1])),
            max_query_len=max(map(len, places)),
        )
        step = StepMetadata([metadata], [0] * len(self._caches), self._caches)
        inputs = _padded(tokens, least, 0), _padded(torch.cat(places), least, 0), step, _padded(ends, least, 0)
        return self._model.logits(self._model.forward(*inputs))[: len(parts)]


def _padded(values: Tensor, least: int, filler: int) -> Tensor:
    """At least so many rows, as `StepBatch` has them."""
    missing = least - len(values)
    return values if missing <= 0 else torch.cat([values, values.new_full((missing, *values.shape[1:]), filler)])
