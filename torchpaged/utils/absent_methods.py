"""Methods of vLLM's classes that torchpaged does not have, each with a reason for the AttributeError."""

from __future__ import annotations

_ONE_PROCESS = "one process computes the model; `apply_model` calls a function with it"
_IMAGES = "what is kept of images is found by their contents, and new weights drop it"
_DRAFTS = "a draft model's weights stay"
_SLEEP = "`sleep` gives it back"
_STREAM = "`stream` adds requests and gives what comes"
_OF_ALL = {
    "release_kv_cache_memory": _SLEEP,
    "reset_mm_cache": _IMAGES,
}

# The reason by class and method; docs/vllm.md has the same words.
REASONS: dict[str, dict[str, str]] = {
    "LLM": {
        **dict.fromkeys(("enqueue", "wait_for_completion", "enqueue_chat"), _STREAM),
        **dict.fromkeys(("get_world_size", "collective_rpc"), _ONE_PROCESS),
        **_OF_ALL,
        "start_draft_weight_update": _DRAFTS,
    },
    "LLMEngine": {
        **dict.fromkeys(("start_profile", "stop_profile"), "`LLM` has them"),
        **dict.fromkeys(
            ("from_vllm_config", "has_unfinished_requests_dp", "get_supported_tasks", "collective_rpc"),
            "one process computes the model and generates texts",
        ),
        **dict.fromkeys(("do_log_stats", "do_log_stats_with_interval"), "`stats` and `get_metrics`"),
        **_OF_ALL,
        "reset_encoder_cache": _IMAGES,
    },
    "AsyncLLM": {
        **_OF_ALL,
        "collective_rpc": "one process computes the model; `call` calls a function with its engine",
        "do_log_stats": "`stats` and `get_metrics`",
        **dict.fromkeys(("start_profile", "stop_profile"), "`LLM` has them"),
    },
}


def absent(owner: object, name: str) -> AttributeError:
    """Return the error for a missing attribute, with the reason if vLLM has a method of that name."""
    kind = type(owner).__name__
    why = next((REASONS[each.__name__].get(name) for each in type(owner).__mro__ if each.__name__ in REASONS), None)
    if why is None:
        return AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=owner)
    return AttributeError(f"{kind}.{name} of vLLM's is not in torchpaged: {why}", name=name, obj=owner)
