"""llama.cpp as a peer: `python -m evals.bench.peers.llama_cpp_peer SETTINGS`, in an environment with llama-cpp-python.

Uses its low-level interface as its own server does: one sequence id per request, and in every step one `llama_decode`
of the running requests' tokens and as much of the waiting prompts as the batch holds.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import llama_cpp as llama
import numpy as np

from evals.bench.peers.protocol import Settings, Tokens, Workload, serve

BATCH = 2048  # llama.cpp's default for tokens per call; it computes 512 of them at once


class LlamaCpp:
    """llama.cpp with one model; each workload gets a context that holds exactly its sequences."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._quiet = llama.llama_log_callback(lambda level, text, data: None)
        llama.llama_log_set(self._quiet, None)
        llama.llama_backend_init()
        self.gguf = Path(settings["gguf"])
        self.model = llama.llama_model_load_from_file(str(self.gguf).encode(), llama.llama_model_default_params())
        if not self.model:
            raise RuntimeError(f"{self.gguf} could not be loaded")
        self.vocab_size = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(self.model))
        version = metadata.version("llama-cpp-python")
        self.facts: dict[str, Any] = {"llama-cpp-python": version, "weights": self.gguf.name, "cache": "f16"}

    def run(self, workload: Workload) -> dict[str, Any]:
        """Implement `Peer.run`."""
        prompts, max_tokens = workload["prompts"], workload["max_tokens"]
        longest = max(len(prompt) + count for prompt, count in zip(prompts, max_tokens, strict=True))
        filled = workload["filled"] - 1 if workload["filled"] else 0
        state = self._state(filled, len(prompts)) if filled else bytearray()
        # With separate streams a sequence's queries skip the other sequences' cells, but prompts of different
        # lengths are then cut into many small batches: 0.4 of the rate of a single stream, on the mixed requests.
        unified = len(set(map(len, prompts))) > 1
        with self._context(len(prompts), longest, unified) as context:
            for index in range(len(prompts) if filled else 0):
                buffer = (ctypes.c_uint8 * len(state)).from_buffer(state)
                if not llama.llama_state_seq_set_data(context, buffer, len(state), index):
                    raise RuntimeError("the context could not be filled")
            return Generation(self, context, prompts, max_tokens, filled, workload["shared"]).run().answer()

    @contextmanager
    def _context(self, sequences: int, longest: int, unified: bool = False) -> Iterator[Any]:
        params = llama.llama_context_default_params()
        params.n_seq_max = sequences
        params.n_ctx = sequences * -(-longest // 256) * 256
        params.n_batch = BATCH
        params.n_threads = params.n_threads_batch = self.settings["threads"]
        params.kv_unified = unified
        context = llama.llama_init_from_model(self.model, params)
        if not context:
            raise RuntimeError(f"no context of {sequences} sequences of {longest} tokens")
        try:
            yield context
        finally:
            llama.llama_free(context)

    def _state(self, length: int, sequences: int) -> bytearray:
        """Return saved keys and values of `length` random tokens, for a context with that many sequences.

        They are computed once and cached in a file: llama.cpp offers no other way to fill its cache.
        """
        path = self.gguf.with_name(f"state-{length}-{sequences}.bin")
        if not path.exists():
            prompt = np.random.default_rng(0).integers(self.vocab_size, size=length).tolist()
            with self._context(sequences, length + 1) as context:
                Generation(self, context, [prompt], [1], 0, 0).run()
                size = llama.llama_state_seq_get_size(context, 0)
                buffer = (ctypes.c_uint8 * size)()
                llama.llama_state_seq_get_data(context, buffer, size, 0)
                path.write_bytes(buffer)
        return bytearray(path.read_bytes())


class Generation:
    """State of the requests of one run.

    Args:
        filled: leading tokens of each prompt that the context already holds.
        shared: leading tokens that all prompts share: computed in the first sequence and copied to the others.
    """

    def __init__(
        self,
        peer: LlamaCpp,
        context: Any,
        prompts: list[list[int]],
        max_tokens: list[int],
        filled: int,
        shared: int,
    ) -> None:
        self.context, self.vocab_size = context, peer.vocab_size
        self.tokens = Tokens(len(prompts))
        self.sequences = [list(prompt) for prompt in prompts]
        self.max_tokens, self.shared = max_tokens, shared
        self.done = [filled] * len(prompts)  # tokens in the context

    def run(self) -> Tokens:
        """Run all requests to their end."""
        batch = llama.llama_batch_init(BATCH, 0, 1)
        self.start = time.perf_counter()
        if self.shared:
            self._share(batch)
        unfinished = list(range(len(self.sequences)))
        while unfinished:
            self._step(batch, unfinished)
            unfinished = [i for i in unfinished if len(self.tokens.token_ids[i]) < self.max_tokens[i]]
        llama.llama_batch_free(batch)
        return self.tokens

    def _share(self, batch: Any) -> None:
        while self.done[0] < self.shared:
            batch.n_tokens = 0
            self._add(batch, 0, min(BATCH, self.shared - self.done[0]))
            self._decode(batch)
        memory = llama.llama_get_memory(self.context)
        for index in range(1, len(self.sequences)):
            llama.llama_memory_seq_cp(memory, 0, index, -1, -1)
            self.done[index] = self.shared

    def _step(self, batch: Any, unfinished: list[int]) -> None:
        batch.n_tokens = 0
        left = {i: len(self.sequences[i]) - self.done[i] for i in unfinished}
        for index in sorted(unfinished, key=lambda i: left[i] > 1):  # decoding requests come first
            room = BATCH - batch.n_tokens
            if room:
                self._add(batch, index, min(room, left[index]))
        self._decode(batch)
        rows = {
            batch.seq_id[row][0]: row
            for row in range(batch.n_tokens)
            if batch.logits[row] and batch.pos[row] == len(self.sequences[batch.seq_id[row][0]]) - 1
        }
        chosen = {index: self._argmax(row) for index, row in rows.items()}
        now = time.perf_counter() - self.start
        for index, token in chosen.items():
            self.tokens.extend(index, [token], now)
            self.sequences[index].append(token)

    def _add(self, batch: Any, index: int, count: int) -> None:
        sequence, first = self.sequences[index], self.done[index]
        for position in range(first, first + count):
            row = batch.n_tokens
            batch.token[row], batch.pos[row] = sequence[position], position
            batch.n_seq_id[row], batch.seq_id[row][0] = 1, index
            batch.logits[row] = position == len(sequence) - 1
            batch.n_tokens = row + 1
        self.done[index] += count

    def _decode(self, batch: Any) -> None:
        if status := llama.llama_decode(self.context, batch):
            raise RuntimeError(f"llama_decode returned {status}")

    def _argmax(self, row: int) -> int:
        logits = llama.llama_get_logits_ith(self.context, row)
        return int(np.ctypeslib.as_array(logits, (self.vocab_size,)).argmax())


if __name__ == "__main__":
    serve(LlamaCpp)
