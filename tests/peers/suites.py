"""Every suite, in the order in which they run."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

from tests.peers.sources import FLASH_ATTENTION, FLASHINFER, SGLANG, TRANSFORMERS, TRANSFORMERS_ARCHIVE, VLLM
from tests.peers.suite import HERE, ROOT, Edit, Suite

_PYTEST = ("pytest-timeout==2.4.0", "pytest-asyncio==1.3.0")
_CORE = "tests/v1/core"


def _opt(stage: Path) -> None:
    """Write a config of OPT: vLLM's scheduler reads its lengths, and nothing is computed."""
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


_CHAT = (
    "{{ bos_token }}{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)


def _chat_model(stage: Path) -> None:
    """Copy our small model, with a chat template and room for the lengths that the tests ask for."""
    folder = stage / "models" / "stdlib-chat"
    shutil.copytree(ROOT / "evals" / "models" / "stdlib-lm", folder)
    for name, changes in (
        ("config.json", {"max_position_embeddings": 8192}),
        ("tokenizer_config.json", {"model_max_length": 8192, "chat_template": _CHAT}),
    ):
        path = folder / name
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def _missing_mixins(stage: Path) -> None:
    """Stand in for the modules that the common tests import and the sources lack."""
    for name, mixin in (
        ("generation/test_utils", "GenerationTesterMixin"),
        ("exporters/test_export", "ExportTesterMixin"),
    ):
        file = stage / "tests" / f"{name}.py"
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"class {mixin}:\n    pass\n")
            (file.parent / "__init__.py").touch()
    (stage / "tests" / "__init__.py").touch()
    ranks = stage / "tests" / "distributed_testing_utils.py"
    if not ranks.exists():
        ranks.write_text("def __getattr__(name):\n    return None\n")


def _attention_models(stage: Path) -> None:
    """Append small models to the mixin's file."""
    _missing_mixins(stage)
    common = stage / "tests" / "test_modeling_common.py"
    common.write_text(common.read_text() + (HERE / "shims" / "attention_models.py").read_text())


def _generation_tests(stage: Path) -> None:
    """Use the common tests of the pinned archive, so that a checkout may be older, and link the installed package."""
    for file in (TRANSFORMERS_ARCHIVE.folder() / "tests").glob("*.py"):
        shutil.copy(file, stage / "tests")
    _missing_mixins(stage)
    spec = importlib.util.find_spec("transformers")
    assert spec is not None and spec.origin is not None
    (stage / "src").mkdir()
    (stage / "src" / "transformers").symlink_to(Path(spec.origin).parent)


# vLLM's own Python without its compiled parts: its data types, and its scheduler on top of our manager.
_VLLM_PACKAGES = (
    *_PYTEST,
    "msgspec cachetools blake3 py-cpuinfo cbor2 pybase64 pyzmq einops pillow sentencepiece oss-harmony lark "
    "partial-json-parser tiktoken ijson depyf mistral_common model-hosting-container-standards mcp anthropic "
    "prometheus-fastapi-instrumentator setproctitle",
    "--no-deps xgrammar==0.2.8 apache-tvm-ffi outlines_core==0.2.14 interegular tblib",
)

# FlashAttention 3's tests.
_HOPPER: dict[str, Any] = {
    "source": FLASH_ATTENTION,
    "files": ("hopper/test_flash_attn.py",),
    "copied": ("hopper/padding.py", "hopper/test_util.py"),
    "shim": "flash_attention",
    "requires": (*_PYTEST, "einops==0.8.2"),
    "edits": (
        Edit("hopper/*.py", r'device = "cuda"', 'device = "cpu"'),
        Edit("hopper/test_flash_attn.py", r"attention_chunk_vals = .*", "attention_chunk_vals = [0]"),
    ),
}

SUITES = (
    Suite(
        name="vllm-core",
        source=VLLM,
        files=(f"{_CORE}/test_prefix_caching.py", f"{_CORE}/test_scheduler.py"),
        copied=("tests/__init__.py", "tests/v1/__init__.py", _CORE, "tests/v1/kv_connector"),
        paths=(".",),
        shim="vllm_core",
        requires=_VLLM_PACKAGES,
        edits=(Edit(f"{_CORE}/*.py", "facebook/opt-125m", "{stage}/opt-125m"),),
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
        edits=(Edit("tests/*.py", r'device ?= ?"cuda"', 'device="cpu"'),),
        # Not here: dropout, lengths that take a CPU minutes, and thousands of repetitions of one call.
        leave_out=r"race_condition|splitkv|varlen_overflow|131072|-20000|0\.17"
        r"|(packed|output|causal|deterministic)\[.*(768|799|1000|1023|1024|1025|2048)",
        sample=12,
        seconds=400,
    ),
    Suite(
        name="flash-attention-3",
        **_HOPPER,
        # Rotary positions are those of the cache: there is no rotary_seqlens.
        leave_out=r"::(?!test_flash_attn_kvcache)|20000|2048|-(0\.5|1\.0)-(False|True)-True-",
        sample=60,
        seconds=300,
    ),
    Suite(
        name="flash-attention-3-packed",
        **_HOPPER,
        # With one key the test allows a query's gradient no rounding at all.
        leave_out=r"::(?!test_flash_attn_(varlen_)?output)|_output\[\d+-1-|\[(640|7\d\d|1024|2048|4\d\d\d)|(768|799|1000|1023|1024|1025|2048)-",
        sample=16,
        seconds=300,
    ),
    Suite(
        name="flashinfer",
        source=FLASHINFER,
        files=(
            *(f"tests/attention/test_{name}.py" for name in ("batch_decode_kernels", "batch_prefill_kernels")),
            *(
                f"tests/attention/test_{name}.py"
                for name in ("single_prefill", "sliding_window", "logits_cap", "alibi")
            ),
            *(f"tests/attention/test_{name}.py" for name in ("non_contiguous_decode", "non_contiguous_prefill")),
            *(f"tests/attention/test_{name}.py" for name in ("decode_prefill_lse", "shared_prefix_kernels")),
            *(f"tests/attention/test_{name}.py" for name in ("page", "mla_page", "deepseek_mla")),
            *(f"tests/utils/test_{name}.py" for name in ("sampling", "norm", "activation", "triton_cascade")),
        ),
        copied=("tests/__init__.py", "tests/attention/__init__.py", "tests/utils/__init__.py", "tests/test_helpers"),
        shim="flashinfer_api",
        requires=_PYTEST,
        edits=(
            Edit("tests/**/*.py", r'"cuda(:0)?"', '"cpu"'),
            Edit("tests/**/*.py", r"\.to\(0\)", ".cpu()"),
            Edit("tests/attention/test_shared_prefix_kernels.py", r"\[128, 512, 2048\]", "[128, 512]"),
            Edit("tests/utils/test_sampling.py", r"num_trails = \d+", "num_trails = 20"),
            Edit("tests/utils/test_sampling.py", r"num_trials = 5000000", "num_trials = 200000"),
        ),
        # Not here: 4-bit caches, other layouts of 8-bit codes, masks and rotation inside attention, ragged keys without
        # a cache, quantising norms, renormalised probabilities; too large for a CPU: the long ones.
        leave_out=r"::.*(nvfp4|fp8|graph|fast_plan|custom_mask|multi_item|ragged|quant|qknorm|qk_rms|gemma|layernorm)"
        r"|renorm|check_tensor|tensor_validation|mask_logits|softmax|freq.*32000|speculative|overflow|int64_stride|cutlass|seed_offset|top_p_sampling_freq"
        r"|top_k_sampling_freq|gelu_mul|norm_compilation|smem|variable_length_merge|float8|LLAMA|default_device_cuda"
        r"|[\[-](128|128256|989|16384|2048|4096|33001|31111|8192|157|8736|2743|7563|5532|512)[-\]]|-fa3|-True-(True|False)\]",
        sample=12,
        seconds=120,
    ),
    Suite(
        name="vllm-llm",
        source=VLLM,
        # Not entrypoints/llm's test_accuracy and offline_mode: they download a checkpoint, whose scores they know; nor
        # test_struct_output_generate, whose texts a model of two megabytes does not end.
        files=(
            "tests/test_sampling_params.py",
            *(f"tests/samplers/test_{name}.py" for name in ("non_finite_params", "ignore_eos", "logprobs")),
            *(f"tests/samplers/test_{name}.py" for name in ("no_bad_words", "beam_search", "beam_search_online")),
            *(f"tests/entrypoints/llm/test_{name}.py" for name in ("generate", "chat", "prompt_validation")),
            "tests/entrypoints/llm/test_gpu_utilization.py",
        ),
        copied=(
            "tests/__init__.py",
            "tests/entrypoints/__init__.py",
            "tests/entrypoints/llm/__init__.py",
            "tests/samplers/__init__.py",
        ),
        shim="vllm_api",
        requires=_PYTEST,
        # transformers' results are compared token for token; the wording of errors is not compared.
        edits=(
            Edit("tests/test_sampling_params.py", r', match="extra_args integers"', ""),
            Edit("tests/samplers/*.py", r'\["half"\]', '["float32"]'),
            Edit(
                "tests/entrypoints/llm/*.py",
                r', match="(maximum context length is|decoder prompt cannot be empty|out of vocabulary)"',
                "",
            ),
        ),
        seconds=240,
        prepare=_chat_model,
    ),
    Suite(
        name="vllm-openai",
        source=VLLM,
        files=tuple(
            f"tests/entrypoints/openai/{name}.py"
            for name in (
                "chat_completion/test_chat",
                "chat_completion/test_chat_completion",
                "chat_completion/test_chat_echo",
                "chat_completion/test_chat_logit_bias_validation",
                "chat_completion/test_enable_force_include_usage",
                "chat_completion/test_root_path",
                "completion/test_completion",
                "completion/test_prompt_validation",
                "responses/test_simple",
                "test_chunked_prompt",
                "test_return_token_ids",
                "test_return_tokens_as_ids",
            )
        ),
        copied=(
            "tests/__init__.py",
            "tests/entrypoints/__init__.py",
            "tests/entrypoints/conftest.py",
            "tests/entrypoints/openai/__init__.py",
            "tests/entrypoints/openai/chat_completion/__init__.py",
            "tests/entrypoints/openai/completion/__init__.py",
            "tests/entrypoints/openai/responses/__init__.py",
            "tests/entrypoints/openai/responses/conftest.py",
        ),
        shim="vllm_api",
        requires=(*_PYTEST, "pybase64==1.4.3"),
        # Their embeddings are in files, which need vLLM's own loader.
        leave_out="prompt_embeds",
        seconds=300,
        minutes=20,
        prepare=_chat_model,
    ),
    Suite(
        name="sglang-server",
        source=SGLANG,
        files=tuple(
            f"test/registered/{name}.py"
            for name in (
                "openai_server/basic/test_openai_server",
                "openai_server/basic/test_anthropic_server",
                "openai_server/features/test_json_mode",
                "openai_server/features/test_openai_server_ebnf",
                "openai_server/validation/test_matched_stop",
                "openai_server/validation/test_openai_server_ignore_eos",
                "openai_server/validation/test_request_length_validation",
                "core/test_srt_endpoint",
            )
        ),
        copied=("python/sglang/test/kits/matched_stop_kit.py",),
        shim="sglang_server",
        requires=(*_PYTEST, "anthropic"),
        # vLLM's fields instead of SGLang's, and no wording of errors.
        edits=(
            Edit("test/**/*.py", r'"regex": regex', '"structured_outputs": {"regex": regex}'),
            Edit("test/**/*.py", r'"ebnf": ebnf_grammar', '"structured_outputs": {"grammar": ebnf_grammar}'),
            Edit("test/**/*.py", r"store: bool \| None = True", "store: bool | None = False"),
            Edit("test/**/*.py", r"/v1/tokenize", "/tokenize"),
            Edit("test/**/*.py", "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.2-1B-Instruct"),
            Edit("test/**/*.py", "is longer than the model's context length", "max_model_len"),
            Edit("python/**/*.py", 'matched_stop"\\]', 'stop_reason"]'),
        ),
        # Not here: /generate, SGLang's own route; processors as pickled code; models that rerank; what SGLang logs.
        leave_out="TestSRTEndpoint|CustomLogitProcessor|custom_logit_processor|Rerank|V1Score|token_ids_logprob",
        seconds=300,
        minutes=20,
        prepare=_chat_model,
    ),
    Suite(
        name="transformers-generation",
        source=TRANSFORMERS,
        files=tuple(
            f"tests/models/{name}/test_modeling_{name}.py"
            for name in ("llama", "qwen2", "qwen3", "gemma2", "gemma3", "gpt2", "mixtral", "mistral")
        ),
        copied=("tests",),
        paths=("utils",),
        shim="transformers_generation",
        requires=(*_PYTEST, "parameterized==0.9.0"),
        seconds=120,
        minutes=20,
        tells_touch=True,
        prepare=_generation_tests,
    ),
    Suite(
        name="transformers-batching",
        source=TRANSFORMERS,
        files=("tests/generation/test_continuous_batching.py",),
        copied=("tests/__init__.py", "tests/generation/__init__.py"),
        shim="transformers_batching",
        requires=(*_PYTEST, "parameterized==0.9.0"),
        edits=(
            Edit(
                "tests/generation/*.py",
                r"@require_torch_accelerator\nclass ContinuousBatchingWith",
                "class ContinuousBatchingWith",
            ),
            # Its private parts, which each version has elsewhere, are for the tests that are left out.
            Edit(
                "tests/generation/*.py",
                r"^from transformers\.generation\.continuous_batching\.\w+ import (\([^)]*\)|.*)\n",
                "",
            ),
            Edit("tests/generation/*.py", r"^from \.\.test_tensor_parallel_mixin.*\n", ""),
            Edit("tests/generation/*.py", r"^ *@slow\n", ""),
            Edit("tests/generation/*.py", r"^ *@require_flash_attn +#.*\n", ""),
            Edit("tests/generation/*.py", r"use_cuda_graph=(True|use_cuda_graph)", "use_cuda_graph=False"),
        ),
        # Not here: parts of transformers' own cache, compiled forwards, and many checkpoints, for which one stands in.
        leave_out="NoAccelerator|TensorParallelTest|TestMemoryHandler|with_compile|diverse_models|cpu_offloading|memory_footprint"
        "|switch_to_cb|kvcache_parity|fast_path|tuple_cuda|hybrid_model",
        minutes=20,
        tells_touch=True,
        prepare=_chat_model,
    ),
    Suite(
        name="transformers-attention",
        source=TRANSFORMERS_ARCHIVE,
        files=("tests/test_modeling_common.py",),
        copied=("tests",),
        shim="transformers_attention",
        requires=(*_PYTEST, "parameterized==0.9.0"),
        minutes=20,
        tells_touch=True,
        prepare=_attention_models,
    ),
)
