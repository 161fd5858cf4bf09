"""vLLM's results on quantised checkpoints, in its own Python: `python vllm_quantized.py ASKED ANSWERS`.

ASKED is a JSON file of a list of {"name", "folder", "prompt", "plain"}. ANSWERS gets for each name {"logprobs"} of the
prompt's tokens, or {"error"}.

With "plain", torch computes the products of packed weights in float32 from the values that vLLM's functions unpack:
on a CPU vLLM has 4-bit products only, and experts' only with AMX. Names, shapes, schemes, what is
left out and how experts are combined remain vLLM's.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

# What vLLM and torch read when they are imported.
os.environ.update(
    HF_HUB_OFFLINE="1",
    OMP_NUM_THREADS="1",
    VLLM_CPU_KVCACHE_SPACE="1",
    VLLM_CPU_OMP_THREADS_BIND="nobind",
    VLLM_ENABLE_V1_MULTIPROCESSING="0",
    VLLM_PLUGINS="",
)

import torch
import vllm
from vllm.distributed.parallel_state import cleanup_dist_env_and_memory
from vllm.model_executor.kernels.linear import MPLinearKernel
from vllm.model_executor.layers.fused_moe.experts.int4_emulation_moe import Int4EmulationTritonExperts
from vllm.model_executor.layers.fused_moe.oracle import int_wna16
from vllm.model_executor.layers.quantization.compressed_tensors.compressed_tensors_moe import (
    compressed_tensors_moe_wna16,
)
from vllm.model_executor.layers.quantization.compressed_tensors.schemes import compressed_tensors_wNa16
from vllm.model_executor.layers.quantization.utils.quant_utils import unpack_quantized_values_into_int32


class PlainLinear(MPLinearKernel):
    """[out, in / n] words to values when they are read, and torch's product of these."""

    @classmethod
    def get_min_capability(cls) -> int:
        return -1

    @classmethod
    def can_implement(cls, c: Any) -> tuple[bool, str | None]:
        return True, None

    def process_weights_after_loading(self, layer: torch.nn.Module) -> None:
        words, scale, zeros = self._get_weight_params(layer)
        kind, inputs = self.config.weight_type, self.config.partition_weight_shape[0]
        codes = unpack_quantized_values_into_int32(words.data, kind, 1)[:, :inputs].float()
        each = inputs // scale.shape[1]
        if zeros is None:
            middle: Any = kind.bias
        else:
            of_groups = unpack_quantized_values_into_int32(zeros.data, kind, 0)[: len(codes)]
            middle = of_groups.float().repeat_interleave(each, 1)
        layer.plain = (codes - middle) * scale.float().repeat_interleave(each, 1)

    def apply_weights(self, layer: torch.nn.Module, x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        return torch.nn.functional.linear(x, layer.plain, bias)


def plain_experts(
    self: Any,
    output: torch.Tensor,
    hidden_states: torch.Tensor,
    w1: torch.Tensor,
    w2: torch.Tensor,
    topk_weights: torch.Tensor,
    topk_ids: torch.Tensor,
    **_: Any,
) -> None:
    """In the place of `Int4EmulationTritonExperts.apply`, whose kernels are a GPU's: [experts, out, in] are floats.
    Weights of routes are not put in; tokens are taken one by one."""
    rows = torch.zeros_like(hidden_states)
    for token, (weights, experts) in enumerate(zip(topk_weights.tolist(), topk_ids.tolist(), strict=True)):
        for weight, expert in zip(weights, experts, strict=True):
            gate, up = (hidden_states[token] @ w1[expert].T).chunk(2)
            rows[token] += weight * ((torch.nn.functional.silu(gate) * up) @ w2[expert].T)
    output.copy_(rows)


def run(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the logprobs of a prompt's tokens except the first."""
    llm = vllm.LLM(
        model=asked["folder"],
        dtype="float32" if asked["plain"] else "bfloat16",
        enforce_eager=True,
        skip_tokenizer_init=True,
        distributed_executor_backend="uni",
        gpu_memory_utilization=0.1,
        max_model_len=64,
    )
    params = vllm.SamplingParams(temperature=0.0, max_tokens=1, detokenize=False, prompt_logprobs=0)
    prompt = asked["prompt"]
    (output,) = llm.generate([{"prompt_token_ids": prompt}], params, use_tqdm=False)
    return {"logprobs": [of[token].logprob for token, of in zip(prompt[1:], output.prompt_logprobs[1:], strict=True)]}


def plainly(asked: dict[str, Any]) -> dict[str, Any]:
    emulated = (int_wna16.WNA16MoEBackend.EMULATION, Int4EmulationTritonExperts)
    unpack = partial(int_wna16._unpack_and_dequant_int4_gptq, output_dtype=torch.float32)
    with (
        mock.patch.object(compressed_tensors_wNa16, "choose_mp_linear_kernel", lambda *_: PlainLinear),
        mock.patch.object(compressed_tensors_moe_wna16, "select_wna16_moe_backend", lambda **_: emulated),
        mock.patch.object(int_wna16, "_unpack_and_dequant_int4_gptq", unpack),
        mock.patch.object(Int4EmulationTritonExperts, "apply", plain_experts),
    ):
        return run(asked)


def main() -> None:
    answers = {}
    for asked in json.loads(Path(sys.argv[1]).read_text()):
        try:
            answers[asked["name"]] = (plainly if asked["plain"] else run)(asked)
        except Exception as error:
            answers[asked["name"]] = {"error": f"{type(error).__name__}: {error}"}
        cleanup_dist_env_and_memory()
    Path(sys.argv[2]).write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
