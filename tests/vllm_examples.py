"""The scripts of vLLM's `examples/`: how each is run here, unchanged, with tiny local models, or why it is skipped.

`python -m tests.vllm_examples FOLDER [NAME ...]` runs them: FOLDER is vLLM 0.32's source distribution, unpacked.
docs/vllm.md has the summary that `table` makes.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = ROOT / "evals" / "models" / "stdlib-lm"
TEMPLATE = "{% for m in messages %}# {{ m.role }}: {{ m.content }}\n{% endfor %}{% if tools %}# tools\n{% endif %}"

RANKS = "needs several ranks or devices"
IMAGES = "reads images, audio or video"
CONNECTOR = "needs a KV connector"
WEIGHTS = "sends weights between processes"
SHARDS = "needs vLLM's own loaders of weights"
CLIENT = "a client: run it beside `torchpaged serve`"
PROXY = "a proxy between several servers"
OTHERS = "drives another package, which imports vLLM itself"
NOT_VLLM = "does not use an engine"

SMALL = ("--max-model-len", "256", "--num-gpu-blocks-override", "300")


@dataclass(frozen=True)
class Run:
    """Script and how it is run.

    Args:
        words: its arguments; {model}, {classifier}, {reranker} and {tmp} are filled in.
        models: content of the hub's cache, by the id that the script names: a name of `make_models`.
        shows: part of its output, or of its client's.
        client: for a script that serves: the program that calls it, with {port}.
    """

    words: tuple[str, ...] = ()
    models: dict[str, str] = field(default_factory=dict)
    shows: str = ""
    client: str = ""


OPT = {"facebook/opt-125m": "model"}
LLAMA = {"meta-llama/Llama-3.2-1B-Instruct": "model"}
OFFLINE = "basic/offline_inference"

RUNS: dict[str, Run] = {
    "applications/api_server/server.py": Run(
        ("--model", "{model}", "--host", "127.0.0.1", "--port", "{port}", *SMALL),
        shows="Beam candidate 1: 'import",
        client="applications/api_server/client.py --host 127.0.0.1 --port {port} --n 2 --prompt import",
    ),
    f"{OFFLINE}/basic.py": Run(models=OPT, shows="Output:    '"),
    f"{OFFLINE}/chat.py": Run(("--model", "{model}", "--max-tokens", "4", *SMALL), shows="Generated text: '"),
    f"{OFFLINE}/classify.py": Run(("--model", "{classifier}"), shows="(size=3)"),
    f"{OFFLINE}/embed.py": Run(("--model", "{model}"), shows="(size=256)"),
    f"{OFFLINE}/generate.py": Run(("--model", "{model}", "--max_tokens=4", *SMALL), shows="Generated text: '"),
    f"{OFFLINE}/score.py": Run(("--model", "{reranker}"), shows="Score: 0."),
    "deployment/async_llm_streaming.py": Run(models=LLAMA, shows="All streaming examples completed"),
    "deployment/llm_engine_example.py": Run(("--model", "{model}", *SMALL), shows="RequestOutput("),
    "features/automatic_prefix_caching/automatic_prefix_caching_offline.py": Run(
        models={"lmsys/longchat-13b-16k": "long"}, shows="Generation time: "
    ),
    "features/automatic_prefix_caching/prefix_caching_offline.py": Run(
        models=OPT, shows="Generated answers are the same: True"
    ),
    "features/context_extension/context_extension_offline.py": Run(
        models={"Qwen/Qwen3-0.6B": "model"}, shows="Generated text: '"
    ),
    "features/data_parallel/data_parallel_offline.py": Run(
        ("--model", "{model}", "--max-model-len", "64", "--num-gpu-blocks-override", "300"), shows="DP rank 0, Prompt: "
    ),
    "features/logits_processor/custom.py": Run(models=OPT, shows="Output:    '"),
    "features/logits_processor/custom_req.py": Run(models=OPT, shows="Output:    '"),
    "features/logits_processor/custom_req_init.py": Run(models=OPT, shows="Output:    '"),
    "features/lora/multilora_offline.py": Run(
        models={"meta-llama/Llama-3.2-3B-Instruct": "model", "jeeejeee/llama32-3b-text2sql-spider": "adapter"},
        shows="lora_name='sql-lora2', lora_int_id=2",
    ),
    "features/profiling/run_one_batch_offline.py": Run(
        ("--model", "{model}", "--profile", "decode", "--profile-dir", "{tmp}", *SMALL), shows="Generated text: '"
    ),
    "features/profiling/simple_profiling_offline.py": Run(models=OPT, shows="Generated text: "),
    "features/prompt_embed/prompt_embed_offline.py": Run(models=LLAMA, shows="[Batch Inference Outputs]"),
    "features/reset_kv/reset_kv_offline.py": Run(
        ("--model", "{long}", "--max-model-len", "2048", "--num-gpu-blocks-override", "400"),
        shows="Resetting prefix cache at 10",
    ),
    "features/speculative_decoding/spec_decode_offline.py": Run(
        (
            *("--model-dir", "{model}", "--method", "ngram", "--num-prompts", "3", "--dataset-name", "random"),
            *("--random-input-len", "20", "--output-len", "16", "--max-model-len", "128", "--enforce-eager"),
        ),
        shows="mean acceptance length",
    ),
    "features/structured_outputs/structured_outputs_offline.py": Run(
        models={"Qwen/Qwen2.5-3B-Instruct": "model"}, shows="Structured outputs by Grammar: "
    ),
    "observability/metrics/offline.py": Run(models=OPT, shows="vllm:e2e_request_latency_seconds (histogram)"),
    "pooling/classify/classification_with_lora_offline.py": Run(
        models={
            "Skywork/Skywork-Reward-V2-Qwen3-0.6B": "reranker",
            "AmirMohseni/skywork-qwen3-0.6b-reward-lora": "reranker_adapter",
        },
        shows="Class Probabilities: [0.",
    ),
    "pooling/embed/embed_jina_embeddings_v3_offline.py": Run(("--model", "{model}"), shows="(size=256)"),
    "pooling/embed/embed_matryoshka_fy_offline.py": Run(("--model", "{model}"), shows="(size=32)"),
    "pooling/reward/sequence_reward_offline.py": Run(
        ("--model", "{reranker}", "--max-model-len", "256"), shows="Reward: ["
    ),
    "pooling/reward/token_reward_offline.py": Run(
        ("--model", "{classifier}", "--max-model-len", "256"), shows="Reward: ["
    ),
    "pooling/score/using_template_offline.py": Run(
        models={"nvidia/llama-nemotron-rerank-1b-v2": "reranker"}, shows="[0."
    ),
    "pooling/token_classify/ner_offline.py": Run(("--model", "{classifier}"), shows=" → LABEL_"),
    "pooling/token_embed/multi_vector_retrieval_offline.py": Run(("--model", "{model}"), shows="Score: "),
    "rl/batch_invariance/reproducibility_offline.py": Run(models=OPT, shows="Generated text: "),
    "rl/pause_resume/pause_resume_offline.py": Run(models=OPT, shows="Test passed! Engine paused"),
}


_BY_REASON: dict[str, str] = {
    CLIENT: """
        applications/api_server/client.py
        applications/chatbot/gradio_openai_chatbot_webserver.py
        applications/chatbot/gradio_webserver.py
        applications/chatbot/streamlit_openai_chatbot_webserver.py
        applications/rag/retrieval_augmented_generation_with_langchain.py
        applications/rag/retrieval_augmented_generation_with_llamaindex.py
        basic/online_serving/openai_chat_completion_client.py
        basic/online_serving/openai_completion_client.py
        features/prompt_embed/prompt_embed_inference_with_openai_client.py
        features/structured_outputs/structured_outputs_client.py
        generate/batched_chat_completions_online.py
        observability/opentelemetry/dummy_client.py
        pooling/classify/classification_online.py
        pooling/embed/embedding_requests_base64_online.py
        pooling/embed/embedding_requests_bytes_online.py
        pooling/embed/openai_embedding_client.py
        pooling/embed/openai_embedding_long_text/client.py
        pooling/embed/openai_embedding_matryoshka_fy_client.py
        pooling/reward/sequence_reward_online.py
        pooling/reward/token_reward_online.py
        pooling/score/cohere_rerank_client.py
        pooling/score/colbert_rerank_online.py
        pooling/score/qwen3_reranker_online.py
        pooling/score/rerank_api_online.py
        pooling/score/score_api_online.py
        pooling/score/using_template_online.py
        pooling/token_classify/ner_online.py
        pooling/token_embed/jina_reranker_v3_online.py
        pooling/token_embed/multi_vector_retrieval_online.py
        reasoning/openai_chat_completion_tool_calls_with_reasoning.py
        reasoning/openai_chat_completion_with_reasoning.py
        reasoning/openai_chat_completion_with_reasoning_streaming.py
        reasoning/openai_responses_client.py
        rl/pause_resume/data_parallel_pause_resume.py
        scale_out/token_generation_client.py
        tool_calling/openai_chat_completion_client_with_tools.py
        tool_calling/openai_chat_completion_client_with_tools_required.py
        tool_calling/openai_chat_completion_client_with_tools_xlam.py
        tool_calling/openai_chat_completion_client_with_tools_xlam_streaming.py
        tool_calling/openai_responses_client_with_mcp_tools.py
        tool_calling/openai_responses_client_with_tools.py
    """,
    IMAGES: """
        generate/multimodal/audio_language_offline.py
        generate/multimodal/encoder_decoder_multimodal_offline.py
        generate/multimodal/mistral-small_offline.py
        generate/multimodal/openai_chat_completion_client_for_multimodal.py
        generate/multimodal/qwen2_5_omni/only_thinker.py
        generate/multimodal/qwen3_omni/only_thinker.py
        generate/multimodal/vision_language_multi_image_offline.py
        generate/multimodal/vision_language_offline.py
        pooling/classify/vision_classification_online.py
        pooling/embed/vision_embedding_offline.py
        pooling/embed/vision_embedding_online.py
        pooling/plugin/prithvi_geospatial_mae_io_processor.py
        pooling/plugin/prithvi_geospatial_mae_offline.py
        pooling/plugin/prithvi_geospatial_mae_online.py
        pooling/score/colmodernvbert_rerank_online.py
        pooling/score/colqwen3_5_rerank_online.py
        pooling/score/colqwen3_rerank_online.py
        pooling/score/vision_rerank_api_online.py
        pooling/score/vision_reranker_offline.py
        pooling/score/vision_score_api_online.py
        pooling/token_classify/forced_alignment_offline.py
        pooling/token_classify/forced_alignment_online.py
        pooling/token_embed/colqwen3_token_embed_online.py
        pooling/token_embed/jina_embeddings_v4_offline.py
        scale_out/example_mm_serve.py
        speech_to_text/openai/openai_transcription_client.py
        speech_to_text/openai/openai_translation_client.py
        speech_to_text/realtime/openai_realtime_client.py
        speech_to_text/realtime/openai_realtime_microphone_client.py
    """,
    RANKS: """
        features/data_parallel/multi_instance_data_parallel.py
        features/torchrun/torchrun_dp_example_offline.py
        features/torchrun/torchrun_example_offline.py
        generate/qwen_1m_offline.py
        ray_serving/elastic_ep/scale.py
        rl/skip_loading_weights_in_engine_init.py
    """,
    WEIGHTS: """
        rl/rdt_vllm_serve.py
        rl/rdt_weight_source.py
        rl/rlhf_async_new_apis.py
        rl/rlhf_http_ipc.py
        rl/rlhf_http_nccl.py
        rl/rlhf_ipc_fsdp_ep.py
        rl/rlhf_m2n.py
        rl/rlhf_nccl_fsdp_ep.py
        rl/rlhf_sharded_rdt_small_ep.py
        rl/rlhf_sparse_nccl.py
    """,
    CONNECTOR: """
        disaggregated/disaggregated_serving/moriio_toy_proxy_server.py
        disaggregated/example_connector/decode_example.py
        disaggregated/example_connector/prefill_example.py
        disaggregated/flexkv_connector/prefix_caching_flexkv.py
        disaggregated/kv_load_failure_recovery_offline/decode_example.py
        disaggregated/kv_load_failure_recovery_offline/load_recovery_example_connector.py
        disaggregated/kv_load_failure_recovery_offline/prefill_example.py
        disaggregated/lmcache/cpu_offload_lmcache.py
        disaggregated/lmcache/kv_cache_sharing_lmcache_v1.py
        features/kv_events/kv_events_subscriber.py
        features/speculative_decoding/extract_hidden_states_offline.py
    """,
    PROXY: """
        disaggregated/disaggregated_encoder/disagg_epd_proxy.py
        disaggregated/disaggregated_serving/disagg_proxy_demo.py
        disaggregated/disaggregated_serving/disagg_proxy_multiturn.py
        disaggregated/disaggregated_serving/disagg_proxy_pushconnector_demo.py
        disaggregated/lmcache/disagg_prefill_lmcache_v1/disagg_proxy_server.py
        disaggregated/mooncake_connector/mooncake_connector_proxy.py
    """,
    "quantises while loading, with bitsandbytes": """
        features/lora/lora_with_quantization_offline.py
    """,
    OTHERS: """
        ray_serving/batch_llm_inference.py
        ray_serving/ray_serve_deepseek.py
    """,
    SHARDS: """
        features/sharded_state/load_sharded_state_offline.py
        features/sharded_state/save_sharded_state_offline.py
        features/tensorize_vllm_model.py
    """,
    "vLLM's logits processors over its GPU runner's request states": """
        features/logits_processor/dry.py
    """,
    "replays given tokens: `trace_decode_token_ids`; use `score_continuations` for their likelihood": """
        generate/trace_replay_offline.py
    """,
    "asks which experts each token took": """
        rl/routed_experts_e2e.py
    """,
    "makes a classifier of a causal LM while loading: `classifier_from_token`": """
        pooling/score/qwen3_reranker_offline.py
    """,
    "needs a model whose own code packs several texts into one prompt": """
        pooling/token_embed/jina_reranker_v3_offline.py
    """,
    "needs Mistral's own tokenizer and file format": """
        tool_calling/chat_with_tools_offline.py
    """,
    "out of date: vLLM says so itself": """
        features/speculative_decoding/mlpspeculator_offline.py
    """,
    "finds vLLM's watermark": """
        basic/online_serving/watermark_detection_server.py
    """,
    "starts `vllm serve` itself": """
        features/structured_diffusion/structured_server.py
    """,
    NOT_VLLM: """
        __init__.py
        pooling/score/convert_model_to_seq_cls.py
        scale_out/__init__.py
    """,
}
NOT_RUN = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}


def make_models(folder: Path) -> dict[str, str]:
    """Write tiny checkpoints, by `Run`'s names for them: the bundled one, and random ones with its tokenizer."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

    from tests import peft_folders

    model = shutil.copytree(BUNDLED, folder / "model")
    (model / "chat_template.jinja").write_text(TEMPLATE)
    long = shutil.copytree(model, folder / "long")
    config = json.loads((long / "config.json").read_text())
    (long / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 8192}))
    found = {"model": str(model), "long": str(long)}
    tokenizer = AutoTokenizer.from_pretrained(BUNDLED)
    for name, num_labels in (("classifier", 3), ("reranker", 1)):
        torch.manual_seed(0)
        small = AutoConfig.from_pretrained(BUNDLED, num_hidden_layers=2, num_labels=num_labels)
        AutoModelForSequenceClassification.from_config(small, dtype=torch.float32).save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
        found[name] = str(folder / name)
    for name, kind in (("model", AutoModelForCausalLM), ("reranker", AutoModelForSequenceClassification)):
        adapter = folder / ("adapter" if name == "model" else f"{name}_adapter")
        peft_folders.write(adapter, kind.from_config(AutoConfig.from_pretrained(found[name])), 0)
        found[adapter.name] = str(adapter)
    return found


def hub_cache(folder: Path, models: dict[str, str], named: dict[str, str]) -> Path:
    """Return a cache of the hub in which ids stand for local checkpoints."""
    for name, kind in named.items():
        entry = folder / f"models--{name.replace('/', '--')}"
        if entry.exists():
            continue
        (entry / "refs").mkdir(parents=True)
        (entry / "refs" / "main").write_text("0" * 40)
        (entry / "snapshots").mkdir()
        (entry / "snapshots" / ("0" * 40)).symlink_to(models[kind])
    return folder


def run(source: Path, name: str, models: dict[str, str], folder: Path, limit: float = 300) -> str:
    """Run a script under `python -m torchpaged.vllm`; return its output.

    Raises:
        AssertionError: it failed, or its output lacks the expected part.
    """
    how = RUNS[name]
    folder.mkdir(parents=True, exist_ok=True)
    filled: dict[str, Any] = {"tmp": folder, "port": _free_port(), **models}
    words = [word.format(**filled) for word in how.words]
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_CACHE": str(hub_cache(folder / "hub", models, how.models)),
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
    }
    script = [sys.executable, "-m", "torchpaged.vllm", str(source / "examples" / name), *words]
    options: dict[str, Any] = {"cwd": folder, "env": environment}
    with contextlib.ExitStack() as stack:
        if how.client:
            stack.enter_context(_serving(script, filled["port"], limit, options))
            client, *rest = how.client.format(**filled).split()
            script = [sys.executable, str(source / "examples" / client), *rest]
        done = subprocess.run(script, capture_output=True, text=True, timeout=limit, **options)
    told = f"{name}: status {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    assert done.returncode == 0 and how.shows in done.stdout, told
    return done.stdout


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextlib.contextmanager
def _serving(script: list[str], port: int, limit: float, options: dict[str, Any]) -> Iterator[None]:
    """Run a script that serves at a port for the duration of the block."""
    end = time.monotonic() + limit
    with subprocess.Popen(script, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options) as server:
        try:
            while True:
                with socket.socket() as probe:
                    if not probe.connect_ex(("127.0.0.1", port)):
                        break
                assert server.poll() is None and time.monotonic() < end, f"{script[3]} does not listen"
                time.sleep(0.2)
            yield
        finally:
            server.terminate()


def table() -> str:
    """Return the table of docs/vllm.md: how many scripts run, and how many do not for each reason."""
    by_reason: dict[str, list[str]] = {"run unchanged": list(RUNS)}
    for name, reason in NOT_RUN.items():
        by_reason.setdefault(reason, []).append(name)
    lines = ["| scripts | | for example |", "| ---: | --- | --- |"]
    for reason, names in by_reason.items():
        lines.append(f"| {len(names)} | {reason} | {', '.join(f'`{name}`' for name in sorted(names)[:3])} |")
    return "\n".join(lines)


def main(words: list[str]) -> int:
    """Run scripts, print a line for each, and return how many failed."""
    import tempfile

    source, failed = Path(words[0]), 0
    with tempfile.TemporaryDirectory() as folder:
        models = make_models(Path(folder))
        for name in words[1:] or list(RUNS):
            begin = time.perf_counter()
            try:
                run(source, name, models, Path(folder) / name.replace("/", "-"))
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED {error}", flush=True)
            else:
                print(f"ran {name} in {time.perf_counter() - begin:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
