"""Tables of vLLM's modules: where torchpaged has each of their names, and why others are not supported."""

from __future__ import annotations

from torchpaged.engine_args import REASONS

# The release of vLLM whose names these are.
VERSION = "0.32.0"

_HERE = "torchpaged.integrations.vllm.compat"
_OUTPUTS = (
    "ClassificationOutput",
    "ClassificationRequestOutput",
    "CompletionOutput",
    "EmbeddingOutput",
    "EmbeddingRequestOutput",
    "PoolingOutput",
    "PoolingRequestOutput",
    "RequestOutput",
    "ScoringOutput",
    "ScoringRequestOutput",
)
_ENGINE_ARGS = {
    "EngineArgs": "torchpaged.engine_args:EngineArgs",
    "AsyncEngineArgs": "torchpaged.async_engine.async_llm",
}
_INPUTS = {
    "EmbedsPrompt": f"{_HERE}.inputs",
    "PromptType": f"{_HERE}.inputs",
    "TextPrompt": f"{_HERE}.inputs",
    "TokensPrompt": f"{_HERE}.inputs",
}
_LOGITS = (
    "AdapterLogitsProcessor",
    "BatchUpdate",
    "LogitsProcessor",
    "MoveDirectionality",
    "RequestLogitsProcessor",
)
_ASYNC = {
    "AsyncLLM": "torchpaged.async_engine.async_llm",
    "AsyncLLMEngine": "torchpaged.async_engine.async_llm:AsyncLLM",
}

# The source of each name of a module: "module:name", or "module" if the name is the same there. A module without names
# is a package.
MODULES: dict[str, dict[str, str]] = {
    "vllm": {
        "LLM": "torchpaged.llm",
        "LLMEngine": "torchpaged.engine.llm_engine",
        "SamplingParams": "torchpaged.sampling_params",
        "PoolingParams": "torchpaged.pooling_params",
        "AsyncLLMEngine": "torchpaged.async_engine.async_llm:AsyncLLM",
        "__version__": f"{_HERE}.names:VERSION",
        **_ENGINE_ARGS,
        **_INPUTS,
        **dict.fromkeys(_OUTPUTS, "torchpaged.outputs"),
    },
    "vllm.benchmarks": {},
    "vllm.benchmarks.datasets": {
        "SampleRequest": f"{_HERE}.datasets",
        "add_dataset_parser": f"{_HERE}.datasets",
        "get_samples": f"{_HERE}.datasets",
    },
    "vllm.config": {
        "PoolerConfig": "torchpaged.pooling_params",
        "ProfilerConfig": "torchpaged.config",
        "VllmConfig": "torchpaged.config",
    },
    "vllm.distributed": {"cleanup_dist_env_and_memory": f"{_HERE}.utilities"},
    "vllm.distributed.parallel_state": {"cleanup_dist_env_and_memory": f"{_HERE}.utilities"},
    "vllm.engine": {},
    "vllm.engine.arg_utils": _ENGINE_ARGS,
    "vllm.engine.async_llm_engine": {"AsyncLLMEngine": "torchpaged.async_engine.async_llm:AsyncLLM"},
    "vllm.engine.llm_engine": {"LLMEngine": "torchpaged.engine.llm_engine"},
    "vllm.entrypoints": {},
    "vllm.entrypoints.launchers": {},
    "vllm.entrypoints.launchers.launcher": {"serve_http": "torchpaged.serving.own_app"},
    "vllm.entrypoints.llm": {"LLM": "torchpaged.llm"},
    "vllm.entrypoints.serve": {},
    "vllm.entrypoints.serve.utils": {},
    "vllm.entrypoints.serve.utils.api_utils": {"with_cancellation": "torchpaged.serving.own_app"},
    "vllm.envs": {"VLLM_HTTP_TIMEOUT_KEEP_ALIVE": f"{_HERE}.utilities"},
    "vllm.inputs": _INPUTS,
    "vllm.logger": {"init_logger": f"{_HERE}.utilities"},
    "vllm.logits_process": {"LogitsProcessor": "torchpaged.logits_processors:RequestLogitsProcessor"},
    "vllm.lora": {},
    "vllm.lora.request": {"LoRARequest": "torchpaged.lora_request"},
    "vllm.outputs": dict.fromkeys(_OUTPUTS, "torchpaged.outputs"),
    "vllm.platforms": {"current_platform": f"{_HERE}.utilities"},
    "vllm.pooling_params": {"PoolingParams": "torchpaged.pooling_params"},
    "vllm.sampling_params": {
        "BeamSearchParams": "torchpaged.sampling_params",
        "RequestOutputKind": "torchpaged.sampling_params",
        "SamplingParams": "torchpaged.sampling_params",
        "StructuredOutputsParams": "torchpaged.structured_outputs",
    },
    "vllm.tokenizers": {
        "TokenizerLike": f"{_HERE}.utilities",
        "cached_get_tokenizer": f"{_HERE}.utilities",
        "cached_tokenizer_from_config": f"{_HERE}.utilities",
        "get_tokenizer": f"{_HERE}.utilities",
    },
    "vllm.transformers_utils": {},
    "vllm.transformers_utils.repo_utils": {"hf_api": f"{_HERE}.utilities"},
    "vllm.usage": {},
    "vllm.usage.usage_lib": {"UsageContext": f"{_HERE}.utilities"},
    "vllm.utils": {"random_uuid": f"{_HERE}.utilities"},
    "vllm.utils.argparse_utils": {"FlexibleArgumentParser": f"{_HERE}.parser"},
    "vllm.utils.network_utils": {"get_ip": f"{_HERE}.utilities", "get_open_port": f"{_HERE}.utilities"},
    "vllm.utils.print_utils": {"print_embeddings": f"{_HERE}.utilities"},
    "vllm.utils.serial_utils": {
        "EMBED_DTYPES": f"{_HERE}.serial",
        "ENDIANNESS": f"{_HERE}.serial",
        "binary2tensor": f"{_HERE}.serial",
        "tensor2base64": f"{_HERE}.serial",
        "tensor2binary": f"{_HERE}.serial",
    },
    "vllm.utils.system_utils": {"set_ulimit": f"{_HERE}.utilities"},
    "vllm.v1": {},
    "vllm.v1.engine": {},
    "vllm.v1.engine.async_llm": _ASYNC,
    "vllm.v1.engine.llm_engine": {"LLMEngine": "torchpaged.engine.llm_engine"},
    "vllm.v1.metrics": {},
    "vllm.v1.metrics.reader": dict.fromkeys(
        ("Counter", "Gauge", "Histogram", "Metric", "Vector"), "torchpaged.engine.metrics"
    ),
    "vllm.v1.sample": {},
    "vllm.v1.sample.logits_processor": dict.fromkeys(_LOGITS, "torchpaged.logits_processors"),
    "vllm.v1.sample.logits_processor.builtin": {"process_dict_updates": "torchpaged.logits_processors"},
    "vllm.version": {"__version__": f"{_HERE}.names:VERSION"},
}

_RANKS = REASONS["ParallelConfig"]
_IMAGES = REASONS["MultiModalConfig"]
_ADAPTERS = "torchpaged reads and computes adapters itself"
_ON_DEVICE = REASONS["OffloadConfig"]
_OWN_CODE = REASONS["LoadConfig"]
_FROM_TRANSFORMERS = "models come from transformers, by AutoConfig and huggingface_hub"
_OWN_SCHEDULER = "torchpaged has its own block manager and scheduler, in torchpaged.kv_cache and torchpaged.scheduling"

# The reason that a module, or a "module:name", is not supported. A module stands for everything in it.
NOT_HERE: dict[str, str] = {
    "vllm.assets": _IMAGES,
    "vllm.multimodal": _IMAGES,
    "vllm.lora.layers": _ADAPTERS,
    "vllm.lora.lora_model": _ADAPTERS,
    "vllm.lora.model_manager": _ADAPTERS,
    "vllm.lora.peft_helper": _ADAPTERS,
    "vllm.lora.utils": _ADAPTERS,
    "vllm.lora.worker_manager": _ADAPTERS,
    "vllm.config:KVTransferConfig": _ON_DEVICE,
    "vllm.config:WeightTransferConfig": _ON_DEVICE,
    "vllm.config.kv_transfer": _ON_DEVICE,
    "vllm.distributed.kv_transfer": _ON_DEVICE,
    "vllm.distributed.weight_transfer": _ON_DEVICE,
    "vllm.distributed.device_communicators": _RANKS,
    "vllm.distributed.parallel_state:get_world_group": _RANKS,
    "vllm.v1.executor": _RANKS,
    "vllm.v1.metrics.loggers": _RANKS,
    "vllm.forward_context": _OWN_CODE,
    "vllm.model_executor": _OWN_CODE,
    "vllm:ModelRegistry": _OWN_CODE,
    "vllm.transformers_utils.config": _FROM_TRANSFORMERS,
    "vllm.transformers_utils.tokenizer": _FROM_TRANSFORMERS,
    "vllm.v1.watermarking": "torchpaged adds no watermark to texts",
    "vllm.v1.worker": "import logits processors from vllm.v1.sample.logits_processor",
    "vllm.entrypoints.pooling": "POST /v1/embeddings returns numbers or base64",
    "vllm.v1.core": _OWN_SCHEDULER,
    "vllm.v1.request": _OWN_SCHEDULER,
}


def reason(name: str) -> str | None:
    """Return why a module, or a "module:name", is not supported; None if no reason is known."""
    if name in NOT_HERE:
        return NOT_HERE[name]
    module = name.partition(":")[0]
    while module:
        if module in NOT_HERE:
            return NOT_HERE[module]
        module = module.rpartition(".")[0]
    return None
