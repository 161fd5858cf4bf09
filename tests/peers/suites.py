"""Every suite, in the order in which they run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.peers.sources import FLASH_ATTENTION, VLLM
from tests.peers.suite import Edit, Suite

_PYTEST = ("pytest-timeout==2.4.0", "pytest-asyncio==1.3.0")
_CORE = "tests/v1/core"


def _opt(stage: Path) -> None:
    """A config of OPT's kind: vLLM's scheduler asks for its lengths, and nothing is computed."""
    folder = stage / "opt-125m"
    folder.mkdir()
    config = {
        "architectures": ["OPTForCausalLM"],
        "model_type": "opt",
        "max_position_embeddings": 2048,
        "vocab_size": 50272,
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "ffn_dim": 3072,
        "word_embed_proj_dim": 768,
        "torch_dtype": "float16",
    }
    (folder / "config.json").write_text(json.dumps(config))


# vLLM's own Python without its compiled parts: its data types, and its scheduler where the manager below it is ours.
_VLLM_PACKAGES = (
    *_PYTEST,
    "msgspec cachetools blake3 py-cpuinfo cbor2 pybase64 pyzmq einops pillow sentencepiece oss-harmony lark "
    "partial-json-parser tiktoken ijson depyf mistral_common model-hosting-container-standards mcp anthropic "
    "prometheus-fastapi-instrumentator setproctitle",
    "--no-deps xgrammar==0.2.8 apache-tvm-ffi outlines_core==0.2.14 interegular tblib",
)

SUITES = (
    Suite(
        name="vllm-core",
        source=VLLM,
        files=(f"{_CORE}/test_prefix_caching.py", f"{_CORE}/test_scheduler.py"),
        copied=("tests/__init__.py", "tests/v1/__init__.py", _CORE, "tests/v1/kv_connector"),
        paths=(".",),
        shim="vllm_core",
        requires=_VLLM_PACKAGES,
        edits=(Edit(f"{_CORE}/utils.py", "facebook/opt-125m", "{stage}/opt-125m"),),
        seconds=60,
        minutes=20,
        tells_touch=True,
        prepare=_opt,
    ),
    Suite(
        name="flash-attention",
        source=FLASH_ATTENTION,
        files=("tests/test_flash_attn.py",),
        copied=("flash_attn/bert_padding.py",),
        shim="flash_attention",
        requires=(*_PYTEST, "einops==0.8.2"),
        edits=(Edit("tests/*.py", r'device = "cuda"', 'device = "cpu"'),),
        # Everything but the paged and cached calls is training, or dense attention, which is torch's own.
        leave_out=r"::(?!test_flash_attn_kvcache|test_flash_attn_varlen_causal|test_flash_attn_varlen_paged)"
        r"|131072|-20000|varlen_causal\[None|varlen_causal\[.*(1023|1024|2048)",
        sample=100,
        seconds=300,
    ),
    Suite(
        name="flash-attention-3",
        source=FLASH_ATTENTION,
        files=("hopper/test_flash_attn.py",),
        copied=("hopper/padding.py", "hopper/test_util.py"),
        shim="flash_attention",
        requires=(*_PYTEST, "einops==0.8.2"),
        edits=(
            Edit("hopper/*.py", r'device = "cuda"', 'device = "cpu"'),
            Edit("hopper/test_flash_attn.py", r"attention_chunk_vals = .*", "attention_chunk_vals = [0]"),
        ),
        leave_out=r"::(?!test_flash_attn_kvcache)|20000|2048",
        sample=60,
        seconds=300,
    ),
)
