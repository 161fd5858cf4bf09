"""One random engine run: requests that come and go, faults, pins, swaps, adapters. `RandomRun(seed).run()`.

Each request's results are compared with those of the same request alone, in an engine with room for everything. The
model is real and random; its products are made row by row, so that equal means equal bits.
"""

from __future__ import annotations

import functools
import math
import random
import shutil
import tempfile
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel

from tests import adapters, models
from tests.integrations import gguf_files
from tests.integrations.family_models import SPECIAL
from tests.models import test_mtp
from torchpaged import (
    BeamSearchParams,
    EngineConfig,
    LLMEngine,
    LoRARequest,
    RequestOutput,
    SamplingParams,
    register_proposer,
)
from torchpaged.engine.loader import load
from torchpaged.errors import ConfigError, RequestError
from torchpaged.execution.cache_sizing import block_bytes, groups_of, groups_of_blocks, slot_bytes
from torchpaged.execution.executor import LocalExecutor
from torchpaged.execution.pending_step import PendingStep
from torchpaged.integrations.transformers import adapter
from torchpaged.models.model import PagedModel
from torchpaged.sampling_params import ScoringParams
from torchpaged.scheduling import Results
from torchpaged.scheduling.proposers import Transcript

Params = SamplingParams | BeamSearchParams | ScoringParams
Prompt = tuple[int, ...]

EOS = 7
LONGEST = 80
# No window, one in both layers, one in the first: the last has two groups of blocks.
KINDS: dict[str, dict[str, Any]] = {"llama": {}, "mistral": {"sliding_window": 12}, "gemma2": {"sliding_window": 12}}
# Not drawn at random, only by name: layers that keep a convolution's inputs, in a group of their own.
CONVOLUTIONS: dict[str, Any] = {"layer_types": ["conv", "full_attention", "conv"], "num_hidden_layers": 3}
# Likewise recurrent layers, whose states are kept after few tokens here, so that there are many. Their forward is
# rewritten, because torch rounds their gates depending on the number of tokens in a step.
HYBRIDS = ("qwen3_next", "falcon_h1", "mamba2", "mamba")
# Likewise latent attention, with experts.
LATENTS = ("deepseek_v3",)
STATE_CHUNK = 8
TINY = {"num_hidden_layers": 2, "hidden_size": 32, "intermediate_size": 64, "head_dim": 8}
# Adapters by seed, of ranks 1 to 4 and for other modules each; names of adapters, which have one of them at a time.
NUM_ADAPTERS, NUM_NAMES = 8, 5
# Not drawn at random, only by name: weights of other forms, and models that guess for another. Each is exact.
FORMS = ("int8", "int4", "int4-g128", "gguf-q8_0", "gguf-q4_0", "draft", "mtp")
# Rows of 128 inputs, for one scale of the coarsest scheme.
WIDE = {"num_hidden_layers": 2, "hidden_size": 128, "intermediate_size": 128, "num_attention_heads": 4, "head_dim": 32}
# Prefixes that several requests share.
COMMON = models.prompts([40, 40, 40], seed=3)


class Fault(RuntimeError):
    """Error of a device that fails now and then."""


class Lost(PendingStep):
    """Step whose results never arrive."""

    __slots__ = ()

    def result(self) -> Results:
        """Raise instead of waiting."""
        raise Fault("the results are lost")


@functools.cache
def model(kind: str) -> PreTrainedModel:
    """Return a model of two or three small layers."""
    own = CONVOLUTIONS if kind == "lfm2" else SPECIAL[kind] if kind in HYBRIDS + LATENTS else KINDS[kind]
    return models.build(kind, seed=1, **{**({} if kind in HYBRIDS + LATENTS else TINY), **own})


@functools.cache
def saved_form(form: str) -> Path:
    """Return a file or folder of a model of a form."""
    folder = Path(tempfile.mkdtemp(prefix="torchpaged-forms-"))
    if form == "mtp":
        return test_mtp.make_checkpoint(folder, "full_attention", knows=False)
    wide = models.build("llama", seed=1, **WIDE)
    if form == "draft":
        wide.save_pretrained(folder)
        return folder
    return gguf_files.write(wide, folder / "model.gguf", gguf_files.Kind[form.removeprefix("gguf-").upper()])


def formed(form: str, drafts: bool, **settings: Any) -> LLMEngine:
    """Return an engine over weights of a form.

    Args:
        drafts: if the forms that guess do so.
    """
    common: dict[str, Any] = {"dtype": "float32", "max_model_len": LONGEST, "optimize": True, **settings}
    if form.startswith("int"):
        calibration = models.prompts([64] * 4, seed=9)
        made = LLMEngine(
            adapter.wrap(models.build("llama", seed=1, **WIDE), "float32", None, LONGEST),
            EngineConfig(**common),
            eos_token_ids=[EOS],
        )
        made.quantize(form, calibration if form.startswith("int4") else None)
        return made
    if drafts and form in ("draft", "mtp"):
        asked = {"method": "mtp"} if form == "mtp" else {"model": str(saved_form("draft"))}
        common["speculative_config"] = {**asked, "num_speculative_tokens": 3}
    if form == "draft":  # the target is another model, which the draft model guesses now and then
        target = models.build("llama", seed=2, **WIDE)
        return LLMEngine(adapter.wrap(target, "float32", None, LONGEST), EngineConfig(**common), eos_token_ids=[EOS])
    loaded = load(saved_form(form), None, {**common, "skip_tokenizer_init": True})
    return LLMEngine(loaded.model, loaded.config, eos_token_ids=[EOS])


def paged(kind: str) -> adapter.TransformersModel:
    """Return the model as an engine takes it."""
    wrapped = adapter.wrap(model(kind), "float32", None, LONGEST)
    assert isinstance(wrapped, adapter.TransformersModel)
    if wrapped.spec.states:
        wrapped.spec = replace(wrapped.spec, state_chunk=STATE_CHUNK)
    return wrapped


def engine(kind: str, **settings: Any) -> LLMEngine:
    """Return an engine over a new model, or over one of a form."""
    if kind in FORMS:
        return formed(kind, drafts=settings.pop("drafts", True), **settings)
    optimize = True if kind in HYBRIDS + LATENTS else "auto"
    config = EngineConfig(dtype="float32", max_model_len=LONGEST, optimize=optimize, **settings)
    return LLMEngine(paged(kind), config, eos_token_ids=[EOS])


@functools.cache
def saved_adapters(kind: str) -> Path:
    """Return a folder of `NUM_ADAPTERS` adapters of a model, by seed."""
    folder = Path(tempfile.mkdtemp(prefix="torchpaged-adapters-"))
    targets = (["q_proj", "v_proj"], "all-linear", ["down_proj"], ["o_proj", "up_proj"])
    for seed in range(NUM_ADAPTERS):
        adapters.save_merged(model(kind), folder / str(seed), rank=1 + seed % 4, targets=targets[seed // 2], seed=seed)
    return folder


@functools.cache
def quiet(kind: str, block_size: int, kv_cache_dtype: str, enable_lora: bool = False) -> LLMEngine:
    """Return an engine with room for one request of any kind, which finds nothing in its cache."""
    settings: dict[str, Any] = {"block_size": block_size, "kv_cache_dtype": kv_cache_dtype, "enable_lora": enable_lora}
    if kind in FORMS:
        settings["drafts"] = False
    return engine(kind, **settings, num_blocks=2000, enable_prefix_caching=False)


_ALONE: dict[tuple[LLMEngine, Prompt, str, int | None], RequestOutput] = {}


def alone(running: LLMEngine, prompt: Prompt, params: Params, seed: int | None = None) -> RequestOutput:
    """Return a request's output in an undisturbed run, under the adapter of a seed."""
    key = running, prompt, repr(params), seed
    if key not in _ALONE:
        lora = None
        if seed is not None:
            lora = adapters.request(
                f"seed {seed}", saved_adapters(running.model.hf_config.model_type) / str(seed), 1 + seed
            )
        running.add_request("alone", prompt, params, lora_request=lora)
        while running.has_unfinished_requests:
            outputs = running.step()
        _ALONE[key] = outputs[0]
    return _ALONE[key]


def like(kind: str) -> PagedModel:
    """Return a model with the layers of a kind."""
    if kind == "mtp":
        return load(saved_form(kind), None, {"dtype": "float32", "skip_tokenizer_init": True}).model
    if kind in FORMS:
        return adapter.wrap(models.build("llama", seed=1, **WIDE), "float32", None, LONGEST)
    return paged(kind)


class Guesses:
    """Proposer of random tokens, or of the known right ones.

    Args:
        seed: seed of the random tokens.
        texts: the right texts.
    """

    def __init__(self, seed: int, texts: list[list[int]] | None = None) -> None:
        self.random, self.texts = random.Random(seed), texts

    def propose(self, transcript: Transcript, max_drafts: int) -> list[int]:
        """Implement `Proposer.propose`."""
        if self.texts is None:
            return [self.random.randrange(models.VOCAB) for _ in range(self.random.randint(0, max_drafts))]
        tokens = list(transcript.token_ids)
        count = len(tokens)
        return next((text[count : count + max_drafts] for text in self.texts if text[:count] == tokens), [])


METHODS = ("ngram", "suffix", "guess", "know")


def facts(output: RequestOutput) -> list[object]:
    """Return the parts of an output that may not depend on other requests."""
    return [output.prompt_token_ids, output.outputs, output.prompt_logprobs, output.scores]


class RandomRun:
    """One engine, its requests, and their states.

    Args:
        seed: seed of everything random in it.
        folder: folder for saved prefixes.
        kind: model type; None: one of `KINDS`.
        method: method of drafting, one of `METHODS`; None: no drafts.
        has_adapters: whether requests have adapters, whose files are replaced now and then.
        store: a store below the pools, which other runs of the model may have filled.
        shape: block size and dtype of the cache; None: random ones.
    """

    def __init__(
        self,
        seed: int,
        folder: Path,
        kind: str | None = None,
        method: str | None = None,
        *,
        has_adapters: bool = False,
        store: Any = None,
        shape: tuple[int, str] | None = None,
    ) -> None:
        self.store = store
        self.texts: list[list[int]] = []  # the requests' right texts, if a proposer needs them
        self.method, self.has_adapters = method, has_adapters
        register_proposer("guess", lambda config: Guesses(seed))
        register_proposer("know", lambda config: Guesses(seed, self.texts))
        self.random = pick = random.Random(seed)
        self.folder = folder
        self.kind = kind or pick.choice(sorted(KINDS))
        # These two decide how the attention's sums are rounded; a convolution's inputs are stored unchanged.
        types = ("auto",) if kind in ("lfm2", *HYBRIDS, *FORMS) else ("auto", "auto", "int8")
        self.shape = pick.choice((1, 3, 4, 8, 16)), pick.choice(types)
        self.shape = shape or self.shape
        self.fault_rate = pick.choice((0.0, 0.1, 0.3))
        self.names: dict[str, int] = {}  # the seed of each adapter by name
        self.num_written = 0
        self.engine = self._engine()
        if (drafter := self.engine.scheduler.drafter) is not None:
            drafter.costs.step = None  # all proposed drafts, independent of timings
        self._fail_now_and_then()
        self.unborn = pick.randint(6, 14)  # the number of requests that are still to come
        self.jobs: dict[str, tuple[Prompt, Params, int | None]] = {}  # unfinished, with the seeds of adapters
        self.seen: dict[str, list[list[int]]] = {}  # the tokens of each in its outputs so far
        self.pins: list[str] = []
        self.count = self.num_steps = self.num_faults = self.num_finished = self.num_replaced = 0

    def _engine(self) -> LLMEngine:
        pick, (size, kv_cache_dtype) = self.random, self.shape
        # Room for one to four of the longest requests.
        wrapped = like(self.kind)
        groups = groups_of_blocks(groups_of(wrapped, EngineConfig(block_size=size)))
        num_tables = len(groups) + (self.kind in ("draft", "mtp"))  # the guessing layers may have one of their own
        num_blocks = 2 + int(num_tables * math.ceil(LONGEST / size) * pick.uniform(1.0, 4.0))
        settings: dict[str, Any] = {"num_blocks": num_blocks, "block_size": size, "kv_cache_dtype": kv_cache_dtype}
        per_block = block_bytes(wrapped, EngineConfig(**settings), groups)
        swap_blocks = pick.choice((0, 3, num_blocks // 2, 4 * num_blocks))
        if wrapped.spec.states:
            settings["num_state_slots"] = pick.choice((3, 6, 12, 60))
            settings["state_checkpoint_interval"] = pick.choice((8, 16, 64))
            per_block += sum(slot_bytes(wrapped.spec))
        budget = pick.choice((1, 7, 20, 200))
        chunked = budget < LONGEST or pick.random() < 0.6
        return self._make(
            **settings,
            swap_space=(swap_blocks + 0.5) * per_block / 2**30 if swap_blocks else 0.0,
            preemption_mode=pick.choice(("swap", "recompute", "auto")) if swap_blocks else "auto",
            max_num_seqs=pick.choice((1, 3, 5, 16)),
            max_num_batched_tokens=budget,
            long_prefill_token_threshold=pick.choice((0, 0, 5)) if chunked else 0,
            enable_chunked_prefill=chunked,
            enable_prefix_caching=pick.random() < 0.75 or self.store is not None,
            prefix_cache_dir=self.store,
            prefix_cache_host_gb=4.5 * per_block / 2**30 if self.store is not None and num_blocks % 2 else 0.0,
            prefix_cache_write="through" if self.store is not None and pick.random() < 0.5 else "evict",
            scheduling_policy=pick.choice(("fcfs", "priority")),
            async_scheduling=pick.random() < 0.6,
            watermark=pick.choice((0.0, 0.01, 0.2)),
            **({} if self.method is None else {"speculative_config": self._speculation()}),
            **(self._adapters() if self.has_adapters else {}),
        )

    def _make(self, **settings: Any) -> LLMEngine:
        return engine(self.kind, **settings)

    def _adapters(self) -> dict[str, Any]:
        """Write the first adapters, and return the engine's settings for them."""
        pick = self.random
        saved_adapters(self.kind)
        max_loras = pick.choice((1, 2, 3))
        for number in range(NUM_NAMES):
            self._write_adapter(f"adapter {number}")
        return {"enable_lora": True, "max_loras": max_loras, "max_cpu_loras": pick.choice((max_loras, 4, 8))}

    def _write_adapter(self, name: str) -> None:
        """Replace the files of a name all at once, by a link to another folder."""
        seed = self.names[name] = self.random.randrange(NUM_ADAPTERS)
        self.num_written += 1
        fresh, link = self.folder / f"version {self.num_written}", self.folder / "link"
        shutil.copytree(saved_adapters(self.kind) / str(seed), fresh)
        link.symlink_to(fresh)
        link.replace(self.folder / name)

    def _any_request(self) -> LoRARequest | None:
        """Return a request for some adapter, or None for the model alone."""
        name = self.random.choice((None, *self.names)) if self.names else None
        return None if name is None else self._request(name)

    def _request(self, name: str) -> LoRARequest:
        return adapters.request(name, self.folder / name, 1 + int(name.split()[1]))

    def _speculation(self) -> dict[str, Any]:
        return {"method": self.method, "num_speculative_tokens": self.random.choice((1, 3, 7, 15))}

    def _fail_now_and_then(self) -> None:
        """Make copies and forwards fail before or after their work, and drop results."""
        assert isinstance(self.engine.executor, LocalExecutor)
        runner = self.engine.executor.runner
        copy, forward, launch = runner.copy, runner.model.forward, runner.launch

        def maybe(what: str, rate: float = 1.0) -> None:
            if self.random.random() < self.fault_rate * rate / 2:
                self.num_faults += 1
                raise Fault(f"{what} failed")

        def faulty_copy(copies: Any) -> None:
            maybe("the copy")
            copy(copies)
            maybe("what is behind the copy")

        def faulty_forward(*args: Any) -> Any:
            maybe("the forward")
            logits = forward(*args)
            maybe("what is behind the forward")
            return logits

        def lossy_launch(step: Any) -> PendingStep:
            launched = launch(step)
            if self.random.random() < self.fault_rate / 10:
                self.num_faults += 1
                return Lost(**{each.name: getattr(launched, each.name) for each in fields(launched)})
            return launched

        for owner, replaced in ((runner, faulty_copy), (runner.model, faulty_forward), (runner, lossy_launch)):
            setattr(owner, replaced.__name__.split("_")[1], replaced)

    # --- The run -----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run to the end; check that nothing is wrong, left or lost."""
        acts = (self.step,) * 12 + (self.add,) * 3 + (self.abort, self.reset, self.unpin, self.pin, self.save_and_load)
        acts += (self.change_adapters,) * self.has_adapters
        while self.unborn or self.engine.has_unfinished_requests:
            self.random.choice(acts)()
            self.engine.check()
            assert self.num_steps < 4000, f"{len(self.jobs)} requests do not end: {sorted(self.jobs)}"
        assert not self.jobs, f"no result came of {sorted(self.jobs)}"
        self.fault_rate = 0.0
        self.look_at_the_cache()
        while self.pins:
            self.unpin()
        self.engine.check()
        stats = self.engine.stats().cache
        assert stats.num_used_blocks == stats.num_pinned_blocks == 0
        assert stats.num_free_swap_blocks == stats.num_swap_blocks
        assert stats.num_free_state_slots == stats.num_state_slots and stats.num_free_tail_slots == stats.num_tail_slots
        if self.store is None:
            assert self.engine.reset_prefix_cache()
        else:  # the next run finds what only the pools have
            self.tiers = self.engine.scheduler.manager.tiers.counts
            self.engine.shutdown()

    def look_at_the_cache(self) -> None:
        """Check that requests with a common prefix find the values that they would compute."""
        for common in COMMON:
            self.unborn += 1
            self._add(tuple(common), SamplingParams(temperature=0.0, max_tokens=4, ignore_eos=True, logprobs=1))
        while self.engine.has_unfinished_requests:
            self.step()

    def step(self) -> None:
        """Run one step and check its outputs."""
        self.num_steps += 1
        try:
            outputs = self.engine.step()
        except Fault:
            return
        for output in outputs:
            self.take(output)

    def take(self, output: RequestOutput, aborted: bool = False) -> None:
        """Check an output: earlier tokens stay, and the last ones are those of the request alone."""
        name = output.request_id
        prompt, params, seed = self.jobs[name]
        if output.finished and any("were replaced" in (each.error or "") for each in output.outputs):
            del self.jobs[name]  # its adapter had left host memory, and its files are others now
            self.num_replaced += 1
            return
        expected = alone(self._quiet(), prompt, params, seed)
        if isinstance(params, SamplingParams) and params.best_of is None:
            wanted = [completion.token_ids for completion in expected.outputs]
            shown = [completion.token_ids for completion in output.outputs]
            for full, now, before in zip(wanted, shown, self.seen.setdefault(name, [[]] * params.n), strict=True):
                assert now == full[: len(now)] and len(now) >= len(before), f"{name}: {now} instead of {full}"
            self.seen[name] = [list(tokens) for tokens in shown]
        if not output.finished:
            return
        del self.jobs[name]
        if not aborted:
            assert facts(output) == facts(expected), f"{name}: {facts(output)} instead of {facts(expected)}"
            self.num_finished += 1

    def _quiet(self) -> LLMEngine:
        return quiet(self.kind, *self.shape, self.has_adapters)

    # --- What can happen ---------------------------------------------------------------------------------------

    def add(self) -> None:
        """Add a request of some kind."""
        if self.unborn:
            pick = self.random
            common = pick.choice(COMMON)[: pick.choice((0, pick.randint(1, 40)))]
            own = models.prompts([pick.randint(0 if common else 1, 20)], seed=pick.randrange(50))[0]
            self._add((*common, *own), self.params())

    def _add(self, prompt: Prompt, params: Params) -> None:
        pick = self.random
        self.unborn -= 1
        self.count += 1
        name = f"r{self.count}"
        # With pins there may be room for a prompt but not for `max_tokens`: it would end earlier than alone.
        longest = self.engine.scheduler.limits.longest(self.engine.scheduler.manager)
        if self.pins and not isinstance(params, ScoringParams) and len(prompt) < longest:
            params = replace(params, max_tokens=min(params.max_tokens or LONGEST, longest - len(prompt)))
        try:
            salt = pick.choice((None, None, None, "salt"))
            lora = self._any_request()
            self.engine.add_request(
                name, prompt, params, priority=pick.randrange(3), cache_salt=salt, lora_request=lora
            )
        except RequestError:
            assert self.pins or len(prompt) > LONGEST - 20  # a pin leaves too little room for some
            return
        seed = None if lora is None else self.names[lora.lora_name]
        self.jobs[name] = prompt, params, seed
        if self.method == "know":
            known = alone(self._quiet(), prompt, params, seed)
            self.texts += [[*prompt, *completion.token_ids] for completion in known.outputs]

    def params(self) -> Params:
        """Return parameters: greedy, sampled, several completions, beams, given continuations."""
        pick = self.random
        what = pick.choice(("greedy", "greedy", "greedy", "several", "drawn", "beams", "scores"))
        if what == "beams":
            return BeamSearchParams(
                beam_width=pick.randint(1, 4),
                max_tokens=pick.randint(1, 10),
                early_stopping=pick.choice((True, False, "never")),
                length_penalty=pick.choice((0.5, 1.0, 2.0)),
            )
        if what == "scores":
            lengths = [pick.randint(1, 6) for _ in range(pick.randint(1, 5))]
            common = models.prompts([pick.randint(0, 4)], seed=pick.randrange(9))[0]
            return ScoringParams(
                continuations=[common + own for own in models.prompts(lengths, seed=pick.randrange(20))]
            )
        several = pick.choice((2, 3, 6)) if what == "several" else 1
        drawn = what == "drawn" or (what == "several" and pick.random() < 0.5)
        return SamplingParams(
            n=several,
            best_of=several + 2 if several > 1 and pick.random() < 0.2 else None,
            temperature=pick.choice((0.7, 1.5)) if drawn else 0.0,
            top_k=pick.choice((0, 5)) if drawn else 0,
            seed=pick.randrange(5) if drawn else None,
            max_tokens=pick.randint(1, 20),
            min_tokens=pick.choice((0, 0, 1)),
            ignore_eos=pick.random() < 0.5,
            stop_token_ids=pick.choice(((), tuple(range(20, 30)))),
            logprobs=pick.choice((None, None, 2)),
            prompt_logprobs=pick.choice((None, None, None, 1)) if several == 1 else None,
            prompt_logprobs_start=pick.choice((1, 10)),
            repetition_penalty=pick.choice((1.0, 1.0, 1.3)),
            frequency_penalty=pick.choice((0.0, 0.0, 0.5)),
            **({} if self.method is None else self._controls()),
        )

    def _controls(self) -> dict[str, Any]:
        """Return the other controls of logits, at each position of a run as if it were the last."""
        pick = self.random
        return {
            "logit_bias": pick.choice((None, None, {5: 3.0, EOS: 2.0})),
            "allowed_token_ids": pick.choice((None, None, None, list(range(2, 12)))),
            "presence_penalty": pick.choice((0.0, 0.3)),
            "num_speculative_tokens": pick.choice((None, None, None, 0, 2)),
        }

    def abort(self) -> None:
        """Abort a request in any state; rarely, so that most finish and are compared."""
        if self.jobs and self.random.random() < 0.3:
            name = self.random.choice(sorted(self.jobs))
            output = self.engine.abort(name)
            assert output is not None and output.finished
            self.take(output, aborted=True)

    def reset(self) -> None:
        """Reset the cache: nothing is found any more unless a request or a pin holds it."""
        if self.random.random() < 0.3:
            self.engine.reset_prefix_cache()

    def change_adapters(self) -> None:
        """Replace the files of an adapter, or load, forget or pin one."""
        pick = self.random
        name = pick.choice(sorted(self.names))
        number = self._request(name).lora_int_id
        what = pick.choice(("write", "load", "forget", "forget", "pin"))
        if what == "write" and pick.random() < 0.5:
            self._write_adapter(name)
        elif what == "load":
            self.engine.add_lora(self._request(name))
        elif what == "forget":
            self.engine.remove_lora(number)
        elif what == "pin":
            try:
                self.engine.pin_lora(number)
            except ConfigError:  # too many are
                self.engine.remove_lora(number)

    def pin(self) -> None:
        """Pin a common prefix while no request runs."""
        if self._may_pin():
            self._keep(lambda: [self.engine.pin_prefix(self._beginning(), lora_request=self._any_request())])

    def save_and_load(self) -> None:
        """Save a prefix to a file and load it in addition to the cached blocks."""
        if self._may_pin():
            path = self.folder / "prefix.safetensors"
            try:
                self.engine.save_prefix(path, self._beginning(), lora_request=self._any_request())
            except (RequestError, Fault):
                return
            if self.random.random() < 0.5:
                self.engine.reset_prefix_cache()
            self._keep(lambda: self.engine.load_prefix(path))

    def unpin(self) -> None:
        """Remove some pin, with other requests running or swapped out."""
        if self.pins:
            self.engine.unpin_prefix(self.pins.pop(self.random.randrange(len(self.pins))))

    def _may_pin(self) -> bool:
        return self.engine.config.enable_prefix_caching and not self.engine.has_unfinished_requests

    def _beginning(self) -> list[int]:
        return self.random.choice(COMMON)[: self.random.randint(1, 40)]

    def _keep(self, pin: Any) -> None:
        try:
            self.pins += pin()
        except (RequestError, Fault):  # no room, or shorter than a block; nothing is held then
            assert set(self.engine.prefixes.names) == set(self.pins)
