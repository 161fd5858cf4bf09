"""Trace: observes an LLMEngine step by step and writes an HTML page of its pool.

It changes nothing in the engine, and the engine does not know of it. `pool_trace.html` beside this file draws the data.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.kv_cache import BlockCopy, CopyDirection, PoolKind
from torchpaged.kv_cache.block import KVCacheBlock
from torchpaged.scheduling import Sequence as Scheduled
from torchpaged.scheduling import Step
from torchpaged.utils import atomic_files

BLOCK_STATES = ("free", "cached", "running", "shared", "pinned")
HOST_STATES = ("free", "swapped")
_TEMPLATE = Path(__file__).with_name("pool_trace.html")
_PLACEHOLDER = "__TRACE__"


class _Look(NamedTuple):
    """Everything about a block except its position in a sequence; stored once, because few blocks differ in it."""

    state: str  # one of BLOCK_STATES or HOST_STATES
    owners: tuple[int, ...] = ()  # sequences whose tables name the block
    origin: int = -1  # the sequence whose tokens it holds; of a cached block, the last that owned it
    group: int = 0
    findable: bool = False
    refs: int = 0


class _Cell(NamedTuple):
    """A block at one step: its look and its position."""

    look: _Look
    position: int = 0  # in the block table of `look.origin`


_Place = tuple[int, int, int]  # a sequence, a group, an index in the sequence's block table of the group
_FREE = _Cell(_Look("free"))


@dataclass(slots=True)
class _Sequence:
    """Owner of the tokens in blocks: a completion, a pin, or an earlier request that was not observed."""

    name: str
    kind: str
    scheduled: Scheduled | None = None
    tokens: list[int] = field(default_factory=list)  # a completion's tokens are read when the page is made
    num_prompt_tokens: int = 0
    high: int = 0  # tokens that have been computed at least once
    status: str = ""


class Trace:
    """The steps of an engine, one frame each. The first frame is the engine when the trace was made.

        trace = Trace(engine)
        while engine.has_unfinished_requests:
            engine.step()
            trace.record()
        trace.write("trace.html")

    Args:
        engine: it is only read.
        title: for the page's head, such as the model's name.
    """

    def __init__(self, engine: LLMEngine, title: str = "") -> None:
        self.engine, self.title = engine, title
        manager = engine.scheduler.manager
        self._sequences: list[_Sequence] = []
        self._known: dict[Hashable, int] = {}  # by the scheduler's id, or a pin's name
        self._firsts: dict[int, int] = {}  # by request: the id of its first sequence
        self._looks: dict[_Look, int] = {}
        self._blocks = [_FREE] * len(manager.pool.blocks)
        self._host = [_FREE] * (len(manager.host_pool.blocks) if manager.host_pool else 0)
        self._moved_out: dict[int, _Cell] = {}  # by host block: the block it is a copy of, as it was then
        self._num_hit = manager.stats().num_hit_tokens
        self._frames: list[dict[str, Any]] = []
        self._record(Step())

    @property
    def num_steps(self) -> int:
        """Number of recorded steps."""
        return len(self._frames) - 1

    def look(self) -> None:
        """Note the sequences that exist now; called before a step, for requests that may start and end with it."""
        for sequence in self.engine.scheduler.sequences.values():
            self._of(sequence.id)

    def record(self) -> None:
        """Record the engine's last step; to be called after each `engine.step()`."""
        assert self.engine.last_step is not None, "the engine has made no step"
        self._record(self.engine.last_step)

    def data(self) -> dict[str, Any]:
        """Return everything recorded, as JSON data.

        `frames` hold changes: `blocks` and `host` as flat [block id, look, index in the origin's table, ...],
        `requests` as flat [sequence, status, ...]; `work` is flat [sequence, first token, tokens computed, ...],
        `tokens` counts [prefill, computed again, decode, cached], `copies` is flat [source, destination, direction,
        ...]; `counts` and `host_counts` count blocks in the order of `block_states` and `host_states`.
        """
        engine = self.engine
        sequences = [self._described(sequence) for sequence in self._sequences]
        return {
            "title": self.title,
            "block_size": engine.config.block_size,
            "num_blocks": len(self._blocks) - 1,
            "num_swap_blocks": max(0, len(self._host) - 1),
            "num_groups": len(engine.scheduler.manager.groups),
            "policy": engine.config.scheduling_policy,
            "block_states": BLOCK_STATES,
            "host_states": HOST_STATES,
            "sequences": sequences,
            "pieces": self._pieces({token for sequence in sequences for token in sequence["tokens"]}),
            "looks": [look._asdict() for look in self._looks],
            "frames": self._frames,
        }

    def page(self) -> str:
        """Return an HTML page that needs only a browser."""
        # In a script element only "<" could end the data; json.dumps escapes U+2028 and similar characters.
        data = json.dumps(self.data(), separators=(",", ":")).replace("<", "\\u003c")
        return _TEMPLATE.read_text(encoding="utf-8").replace(_PLACEHOLDER, data, 1)

    def write(self, path: str | Path) -> int:
        """Write the page and return its size in bytes. Raises OSError, and an earlier file stays then."""
        return atomic_files.write(path, self.page().encode())

    # --- A frame -------------------------------------------------------------------------------------------

    def _record(self, step: Step) -> None:
        self.look()
        work: list[int] = []
        tokens = [0, 0, 0, 0]
        for fork in step.forks:
            number = self._of(fork.child)
            self._sequences[number].high = self._sequences[self._of(fork.parent)].high
            work += [number, self._sequences[number].high, 0]
        for id, first, count in zip(step.ids, step.firsts, step.counts, strict=True):
            number = self._of(id, step)
            work += [number, first, count]
            sequence = self._sequences[number]
            behind = first + count - len(step.drafts.get(id, ()))  # its known tokens
            again = max(0, min(sequence.high, behind) - first)
            sequence.high = max(sequence.high, behind)
            decodes = behind - first == 1 and not again and first >= sequence.num_prompt_tokens
            for kind, n in enumerate((0 if decodes else behind - first - again, again, count if decodes else 0)):
                tokens[kind] += n
        hits = self.engine.scheduler.manager.stats().num_hit_tokens
        tokens[3], self._num_hit = hits - self._num_hit, hits
        copies = [copy for copy in step.copies if copy.pool is PoolKind.BLOCKS]  # the picture is of blocks
        self._follow(copies)
        blocks, host = self._blocks_now(self._taken(step)), self._host_now()
        self._frames.append(
            {
                "step": self.engine.stats().num_steps,
                "blocks": self._changes(self._blocks, blocks),
                "host": self._changes(self._host, host),
                "counts": _counts(blocks, BLOCK_STATES),
                "host_counts": _counts(host, HOST_STATES),
                "work": work,
                "tokens": tokens,
                "copies": [part for c in copies for part in (c.source, c.destination, c.direction.value)],
                "preempted": step.num_preempted,
                "requests": self._statuses(),
            }
        )
        self._blocks, self._host = blocks, host

    def _of(self, name: Hashable, step: Step | None = None) -> int:
        """Return the number of a sequence, by its id in the scheduler or the pin's name.

        Args:
            step: a step that it takes part in; it may have ended with that step before it was observed.
        """
        if name not in self._known:
            self._sequences.append(self._seen(name, step))
            self._known[name] = len(self._sequences) - 1
        return self._known[name]

    def _seen(self, name: Hashable, step: Step | None) -> _Sequence:
        manager, scheduled = self.engine.scheduler.manager, self.engine.scheduler.sequences.get(name)  # type: ignore[call-overload]
        if scheduled is not None:
            place = scheduled.id - self._firsts.setdefault(scheduled.origin.owner, scheduled.id)
            shown = self.engine.name_of(scheduled.origin.owner) + (f"#{place}" if place else "")
            return _Sequence(shown, "request", scheduled, num_prompt_tokens=scheduled.num_prompt_tokens)
        if name in manager.pins:
            contents = [manager.pool.blocks[block].content for block in manager.pinned_block_ids(str(name))[0]]
            return _Sequence(str(name), "pin", tokens=[t for c in contents if c is not None for t in c.token_ids])
        new = None if step is None else step.new.get(name)  # type: ignore[call-overload]
        if new is None:
            return _Sequence("earlier", "earlier")
        return _Sequence("earlier", "earlier", tokens=list(new.token_ids), num_prompt_tokens=new.num_prompt_tokens)

    def _blocks_now(self, taken: Mapping[int, _Place]) -> list[_Cell]:
        manager, sequences = self.engine.scheduler.manager, self.engine.scheduler.sequences
        owners = manager.owners()
        place: dict[int, _Place] = {}
        for name in dict.fromkeys(name for names in owners.values() for name in names):
            number, scheduled = self._of(name), sequences.get(name)  # type: ignore[call-overload]
            tables = manager.pinned_block_ids(str(name)) if scheduled is None else manager.block_ids(scheduled)
            for group, table in enumerate(tables):
                for position, block_id in enumerate(table):
                    place.setdefault(block_id, (number, group, position))
        pins = {number for number, sequence in enumerate(self._sequences) if sequence.kind == "pin"}
        cells = [_FREE]
        for block, old in zip(manager.pool.blocks[1:], self._blocks[1:], strict=True):
            if block.ref_count:
                numbers = tuple([self._known[name] for name in owners[block.block_id]])
                state = "running" if block.ref_count == 1 else "shared"
                state = state if pins.isdisjoint(numbers) else "pinned"
                origin, group, position = place[block.block_id]
                look = _Look(state, numbers, origin, group, block.content is not None, block.ref_count)
                cells.append(_Cell(look, position))
            elif block.content is None:
                cells.append(_FREE)
            elif old.look.state == "cached" and block.block_id not in taken:
                cells.append(old)
            else:
                origin, group, position = self._last_place(block, taken)
                cells.append(_Cell(_Look("cached", (), origin, group, True, 0), position))
        return cells

    def _taken(self, step: Step) -> dict[int, _Place]:
        """Return the blocks that the step gave to its sequences, some of which have ended since."""
        taken: dict[int, _Place] = {}
        for id, new in step.new.items():
            for group, table in enumerate(new.tables):
                for position, block_id in enumerate(table):
                    taken[block_id] = (self._known[id], group, position)
        for id, group, index, blocks in step.tables:
            for position, block_id in enumerate(blocks, start=index):
                taken[block_id] = (self._known[id], group, position)
        return taken

    def _last_place(self, block: KVCacheBlock, taken: Mapping[int, _Place]) -> _Place:
        """Return the place that a cached block's tokens come from.

        It is the sequence that got the block in the step that ended it, the last one it was observed with, or one that
        is made from its own content.
        """
        look, position = self._blocks[block.block_id]
        if block.block_id in taken:
            return taken[block.block_id]
        if look.origin >= 0:
            return look.origin, look.group, position
        assert block.content is not None
        self._sequences.append(_Sequence("earlier", "earlier", tokens=list(block.content.token_ids)))
        return len(self._sequences) - 1, block.content.group, 0

    def _follow(self, copies: Sequence[BlockCopy]) -> None:
        """Note which sequences' blocks went to the host: the manager reports owners only for the pool."""
        moved: dict[int, _Cell] = {}
        for source, destination, direction, _ in copies:
            if direction is CopyDirection.WITHIN:
                moved[destination] = moved.get(source, self._blocks[source])
            elif direction is CopyDirection.OUT:
                self._moved_out[destination] = moved.get(source, self._blocks[source])

    def _host_now(self) -> list[_Cell]:
        pool = self.engine.scheduler.manager.host_pool
        cells = []
        for block in pool.blocks if pool is not None else ():
            if block.ref_count == 0:
                self._moved_out.pop(block.block_id, None)
                cells.append(_FREE)
                continue
            look, position = self._moved_out.get(block.block_id, _FREE)
            owners = tuple(number for number in look.owners if self._status(number) == "swapped")
            origin = owners[0] if owners else look.origin
            cells.append(_Cell(_Look("swapped", owners, origin, look.group, False, block.ref_count), position))
        return cells

    def _changes(self, before: list[_Cell], after: list[_Cell]) -> list[int]:
        changes: list[int] = []
        for block_id, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                changes += [block_id, self._looks.setdefault(new.look, len(self._looks)), new.position]
        return changes

    def _status(self, number: int) -> str:
        """Return "finished" or the value of `Status`; "" for a pin."""
        scheduled = self._sequences[number].scheduled
        if scheduled is None:
            return ""
        return "finished" if scheduled.ended else scheduled.status.value

    def _statuses(self) -> list[int | str]:
        changes: list[int | str] = []
        for number, sequence in enumerate(self._sequences):
            status = self._status(number)
            if status != sequence.status:
                changes += [number, status]
                sequence.status = status
        return changes

    # --- The page ------------------------------------------------------------------------------------------

    @staticmethod
    def _described(sequence: _Sequence) -> dict[str, Any]:
        scheduled = sequence.scheduled
        if scheduled is None:
            return {"name": sequence.name, "kind": sequence.kind, "tokens": sequence.tokens}
        return {
            "name": sequence.name,
            "kind": sequence.kind,
            "tokens": list(scheduled.token_ids),
            "prompt": scheduled.num_prompt_tokens,
            "priority": scheduled.origin.priority,
            "arrival": scheduled.origin.arrival,
            "finish": scheduled.finish_reason,
            "preemptions": scheduled.admission.num_preemptions,
        }

    def _pieces(self, tokens: Iterable[int]) -> dict[int, str]:
        """Return each token's own text; empty without a tokenizer."""
        tokenizer = self.engine.vocabulary.tokenizer
        pieces: dict[int, str] = {}
        for token in sorted(tokens) if tokenizer is not None else ():
            try:
                pieces[token] = tokenizer.decode([token])
            except Exception:  # a tokenizer may raise anything; the page then shows the token's number
                continue
        return pieces


def page_of(engine: LLMEngine, title: str) -> str:
    """Return a page of the pool as it is now, between two steps."""
    return Trace(engine, title).page()


def _counts(cells: Sequence[_Cell], states: Sequence[str]) -> list[int]:
    counts = dict.fromkeys(states, 0)
    for cell in cells[1:]:
        counts[cell.look.state] += 1
    return list(counts.values())
