"""A device without tensors: each slot of the pool holds a fingerprint of the prefix whose key and value it stands for.

It reads nothing but the steps, keeps rows as a runner does, and asserts that each query finds exactly its own past,
that no write hits what another sequence reads, and that copies, swaps and forks carry the right contents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from torchpaged import scheduling
from torchpaged.kv_cache import CacheKeys, CopyDirection, KVCacheManager, KVCacheSpec, PoolKind, StateSpec, TailSpec
from torchpaged.media.items import PromptMedia
from torchpaged.scheduling import Results, Scheduler, Scores, Step
from torchpaged.scheduling.step import TO_GUESS

Choose = Callable[[int, Sequence[int]], int]
# Content of a slot that the draft model has not computed yet.
_HALF = "the target's alone"
Owners = dict[tuple[PoolKind, int], int]  # sequence id by pool and block


@dataclass
class Row:
    """Row of a sequence: its tokens, block tables, cache keys and images."""

    tokens: list[int]
    tables: list[list[int]]
    keys: CacheKeys
    media: PromptMedia | None = None


class FakeDevice:
    """Fake pools and rows.

    A state of a recurrent layer is the fingerprint of all tokens before its boundary; a tail's row is that of one
    prefix, as a key is. Both are read before anything is written: the sequences of a launch do not wait for each other.

    A draft model has computed all tokens that a step computes for a sequence, except the last draft: that slot is
    `_HALF` until the token is computed again, and no later step may find it.

    Invariant: everything that a query can see through its table is the fingerprint of its sequence's own tokens.

    Args:
        scheduler: compared with the rows; the device takes nothing from it but the salts of the sequences.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler: Scheduler = scheduler
        self.manager: KVCacheManager = scheduler.manager
        self.size = self.manager.block_size
        self.specs = [group.spec for group in self.manager.groups]
        self.kinds = [_kind(spec) for spec in self.specs]
        self.device: dict[PoolKind, dict[int, list[object]]] = {kind: {} for kind in PoolKind}
        self.host: dict[PoolKind, dict[int, list[object]]] = {kind: {} for kind in PoolKind}
        self.rows: dict[int, Row] = {}
        self.features: dict[str, int] = {}  # rows by content of an image
        self.num_inside = 0  # chunks that began inside an image
        self.guesses = scheduler.drafter is not None and scheduler.drafter.computes

    def run(self, step: Step, choose: Choose, *, fails: bool = False) -> Results:
        """Copy, update the rows, write all new tokens, then check all that is visible.

        States and tails are checked before the writes.

        Args:
            choose: (draw, tokens so far) -> the next token.
            fails: whether the forward fails: then it has written rubbish, and there are no results.
        """
        self._copy(step)
        self._encode(step)
        self._update_rows(step)
        self._look_at_images(step)
        if (turns := self.scheduler.adapter_turns) is not None:
            adapters = {self.rows[id].keys.lora for id in step.ids} - {None}
            assert len(adapters) <= turns.max_loras, f"{len(adapters)} adapters in a step"
            assert all(map(turns.store.is_ready, adapters)), "an adapter is not in host memory"
        written: dict[tuple[PoolKind, int], int] = {}
        read: Owners = {}
        for id, first in zip(step.ids, step.firsts, strict=True):
            for group, table in enumerate(self.rows[id].tables):
                self._begin(id, group, table, first, read)
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            for group, table in enumerate(self.rows[id].tables):
                if self.kinds[group] is PoolKind.BLOCKS:
                    if not fails:
                        self._look(id, group, table, first, 0)
                    self._write(id, group, table, first, count, written, rubbish=fails)
                    if self.guesses and id in step.drafts and not fails:
                        position = first + count - 1
                        self._slots(group, table[position // self.size])[position % self.size] = _HALF
                else:
                    self._advance(id, group, table, first, count, written, read, rubbish=fails)
        if fails:
            return Results(step.number)
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            for group, table in enumerate(self.rows[id].tables):
                if self.kinds[group] is PoolKind.BLOCKS:
                    self._look(id, group, table, first, count - (self.guesses and id in step.drafts))
                else:
                    self._begin(id, group, table, first + count, {})  # the next step begins there
        return self._results(step, choose)

    def bring(self, tables: Sequence[Sequence[int]], token_ids: Sequence[int], keys: CacheKeys) -> None:
        """Write an external prefix into the blocks of its tables; block 0 is skipped."""
        prints = prefix_prints(keys, token_ids)
        for group, table in enumerate(tables):
            size, kind = self.specs[group].block_size, self.kinds[group]
            for index, block in enumerate(table):
                if block:
                    part = prints[index * size : (index + 1) * size]
                    part = part[-1:] if kind is PoolKind.STATES else part
                    self.device[kind][block] = [(group, each) for each in part]

    def spoil(self, pick: random.Random) -> None:
        """Overwrite every pool with random contents: after a failed copy nothing in them can be relied on."""
        for pool in (*self.device.values(), *self.host.values()):
            for content in pool.values():
                content[:] = [pick.random() for _ in content]

    def _slots(self, group: int, block: int) -> list[object]:
        spec, kind = self.specs[group], self.kinds[group]
        size = 1 if kind is PoolKind.STATES else spec.block_size
        return self.device[kind].setdefault(block, [None] * size)

    def _copy(self, step: Step) -> None:
        for copy in step.copies:
            device, host = self.device[copy.pool], self.host[copy.pool]
            source = host if copy.direction is CopyDirection.IN else device
            destination = host if copy.direction is CopyDirection.OUT else device
            assert copy.destination != 0, "the null block is written"
            destination[copy.destination] = list(source[copy.source])

    def _encode(self, step: Step) -> None:
        """Drop the features that are not kept, and make new ones."""
        if step.kept_media is not None:
            self.features = {content: rows for content, rows in self.features.items() if content in step.kept_media}
        for item in step.media:
            assert item.inputs, "there is nothing to encode"
            self.features[item.content] = item.num_features
        if (cache := self.scheduler.encoder_cache) is not None:
            assert self.features == cache._sizes, "the runner has other features than the scheduler thinks"
            assert (
                self.scheduler.limits.enable_chunked_prefill is False
                or len(step.media) < 2
                or (sum(item.num_features for item in step.media) <= cache.budget)
            ), "a step encodes more than its budget"

    def _look_at_images(self, step: Step) -> None:
        """Check that the features of all placeholders of a step are there, and no image is cut that must be whole."""
        whole = self.scheduler.limits.keeps_media_whole
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            media = self.rows[id].media
            if media is None:
                continue
            missing = [item for item in media.within(first, first + count) if item.content not in self.features]
            assert not missing, f"{id} computes placeholders of {missing}, whose features are not there"
            self.num_inside += media.inside(first) is not None
            assert not whole or media.run_around(first + count) is None, f"{id}: a step ends inside an image"

    def _update_rows(self, step: Step) -> None:
        forks = {}
        for fork in step.forks:  # read before any row changes
            parent = self.rows[fork.parent]
            tables = [list(table) for table in parent.tables]
            forks[fork.child] = Row(parent.tokens[: fork.num_tokens], tables, parent.keys, parent.media)
            assert len(forks[fork.child].tokens) == fork.num_tokens, f"{fork.parent} has too few tokens to fork from"
        for id in step.released:
            self.rows.pop(id, None)
        for id, new in step.new.items():
            assert id in step.ids, f"{id} is new and not computed"
            keys = replace(self.scheduler.sequences[id].cache_keys, lora=new.adapter)
            self.rows[id] = Row(list(new.token_ids), [list(table) for table in new.tables], keys, new.media)
            assert new.media is None or not any(item.inputs for item in new.media.items), "pixels are sent twice"
        self.rows.update(forks)
        assert len(self.rows) <= self.scheduler.limits.max_num_seqs, f"{len(self.rows)} rows"
        for id, group, index, blocks in step.tables:
            table = self.rows[id].tables[group]
            assert index <= len(table), f"{id}: a gap in the table"
            table[index : index + len(blocks)] = blocks
        for id, (position, tokens) in step.known.items():
            row = self.rows[id]
            assert position <= len(row.tokens), f"{id}: a gap in the tokens"
            row.tokens[position:] = tokens
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            if drafts := step.drafts.get(id):
                assert first + count - len(drafts) == len(self.rows[id].tokens), f"{id}: drafts behind another token"
                if self.guesses:
                    assert set(drafts) == {TO_GUESS}
                    drafts = [hash((id, first, place)) % 8 for place in range(len(drafts))]
                self.rows[id].tokens += drafts

    def _write(
        self, id: int, group: int, table: Sequence[int], first: int, count: int, written: Owners,
        *, rubbish: bool,
    ) -> None:  # fmt: skip
        prints = self._prints(id, first + count)
        for position in range(first, first + count):
            block = table[position // self.size]
            assert block, f"{id} writes to the null block at {position}"
            assert written.setdefault((PoolKind.BLOCKS, block), id) == id, f"two write to block {block}"
            self._slots(group, block)[position % self.size] = random.random() if rubbish else (group, prints[position])

    def _look(self, id: int, group: int, table: Sequence[int], first: int, count: int) -> None:
        prints = self._prints(id, first + count)
        skipped = self.manager.groups[group].spec.num_skipped_blocks(first)
        for position in range(skipped * self.size, first + count):
            block = table[position // self.size]
            found = self._slots(group, block)[position % self.size]
            assert found == (group, prints[position]), (
                f"{id}, group {group}: block {block} has something else at position {position}"
            )

    def _begin(self, id: int, group: int, table: Sequence[int], first: int, read: Owners) -> None:
        """Check what a recurrent layer reads at a position: the state at the last boundary, and the rows since."""
        kind = self.kinds[group]
        chunk, prints = self.specs[group].block_size, self._prints(id, first)
        if kind is PoolKind.STATES and first >= chunk:
            index = first // chunk - 1
            found, expected = self._slots(group, table[index])[:1], [(group, prints[(index + 1) * chunk - 1])]
        elif kind is PoolKind.TAILS and first % chunk:
            index = first // chunk
            found = self._slots(group, table[index])[: first % chunk]
            expected = [(group, each) for each in prints[index * chunk : first]]
        else:
            return
        assert table[index], f"{id}: {kind.value} {index} is not kept, the next token is {first}"
        assert found == expected, f"{id}: {kind.value} {index} is somebody else's at position {first}"
        read[kind, table[index]] = id

    def _advance(
        self, id: int, group: int, table: Sequence[int], first: int, count: int, written: Owners,
        read: Owners, *, rubbish: bool,
    ) -> None:  # fmt: skip
        """Write states at boundaries and rows of tails, where the table has slots for them."""
        kind, chunk, end = self.kinds[group], self.specs[group].block_size, first + count
        prints = self._prints(id, end)
        positions = range(first, end)
        if kind is PoolKind.STATES:
            positions = range((first // chunk + 1) * chunk - 1, end, chunk)
        for position in positions:
            block = table[position // chunk]
            if not block:
                continue
            assert written.setdefault((kind, block), id) == id, f"two write to slot {block} of {kind.value}"
            reader = read.get((kind, block))
            assert reader is None or (kind is PoolKind.TAILS and reader == id), f"{id} writes what {reader} reads"
            offset = 0 if kind is PoolKind.STATES else position % chunk
            self._slots(group, block)[offset] = random.random() if rubbish else (group, prints[position])

    def _prints(self, id: int, count: int) -> list[int]:
        row = self.rows[id]
        assert len(row.tokens) >= count, f"{id}: {count} tokens are to be computed, {len(row.tokens)} are known"
        return prefix_prints(row.keys, row.tokens[:count])

    def _results(self, step: Step, choose: Choose) -> Results:
        results = Results(step.number)
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            tokens = self.rows[id].tokens
            end = first + count
            if (scored := step.scored.get(id)) is not None:
                assert scored.first > first and scored.first + scored.count <= min(end + 1, len(tokens))
                results.scores[id] = Scores(
                    scored.first,
                    [score(tokens[:p], tokens[p]) for p in range(scored.first, scored.first + scored.count)],
                    targets=[score(tokens[:end], target) for target in scored.targets],
                    candidates={token: -float(token) for token in range(scored.candidates)},
                )
            if id in step.quiet:
                continue
            if id in step.drafts:
                self._verify(id, len(step.drafts[id]), choose, results)
                continue
            assert len(tokens) == end, f"{id} draws behind token {end} and has {len(tokens)}"
            for draw, _ in step.draws.get(id, ((id, 0),)):
                token = choose(draw, tokens[:end])
                results.draws.append(draw)
                results.tokens.append(token)
                if results.lengths is not None:
                    results.lengths.append(1)
                if draw == id:
                    tokens[end:] = [token]
        return results

    def _verify(self, id: int, count: int, choose: Choose, results: Results) -> None:
        """Sample after the last token and after each accepted draft; about every other draft is accepted."""
        tokens = self.rows[id].tokens
        certain = len(tokens) - count
        drafts, run = tokens[certain:], []
        for place in range(count + 1):
            before = tokens[: certain + place]
            holds = place < count and hash((tuple(before[-2:]), drafts[place])) % 5 < 3
            run.append(drafts[place] if holds else choose(id, before))
            if place < count and run[-1] != drafts[place]:
                break
        tokens[certain:] = run
        if results.lengths is None:
            results.lengths = [1] * len(results.draws)
        results.draws.append(id)
        results.tokens += run
        results.lengths.append(len(run))

    def check(self, step: Step) -> None:
        """Check that rows match the scheduler's sequences; call it after a step's results were processed."""
        for id in step.ids:
            sequence = self.scheduler.sequences.get(id)
            unsent = self.scheduler.sequence_table.rows.num_unsent.get(id)
            if sequence is not None and unsent is not None:
                row = self.rows[id]
                told = len(sequence.token_ids) - unsent
                assert row.tokens[:told] == sequence.token_ids[:told], f"{sequence}: other tokens"
                tables = self.manager.block_ids(sequence)
                cut = [table[: len(mine)] for table, mine in zip(row.tables, tables, strict=True)]
                assert cut == list(tables), f"{sequence}: other blocks"


def _kind(spec: KVCacheSpec) -> PoolKind:
    if isinstance(spec, StateSpec):
        return PoolKind.STATES
    return PoolKind.TAILS if isinstance(spec, TailSpec) else PoolKind.BLOCKS


def score(context: Sequence[int], token: int) -> scheduling.step.Score:
    """Return the score of a token, which depends on everything before it."""
    value = hash((tuple(context), token)) % 1000
    return -value / 7, value % 3 == 0


def prefix_prints(keys: CacheKeys, token_ids: Sequence[int]) -> list[int]:
    """Return, for each position, a hash of the tokens and images up to it; the list is shared between calls."""
    return _prefix_prints(keys, tuple(token_ids))


@lru_cache(maxsize=1000)  # each step asks for the same prefixes in each group, before and after it writes
def _prefix_prints(keys: CacheKeys, token_ids: tuple[int, ...]) -> list[int]:
    result, last = [], hash(replace(keys, multimodal=()))
    images = {
        position: (key.content, position - key.start)
        for key in keys.multimodal
        for position in range(key.start, key.start + key.length)
    }
    for position, token in enumerate(token_ids):
        last = hash((last, token, images.get(position)))
        result.append(last)
    return result
