"""Several machines, on Ray: `BatchLLM` for files that Ray Data reads, `build_openai_app` for Ray Serve.

Ray manages machines, queues, replicas and files. This module has the code that runs in its actors.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ray import serve
from ray.util.metrics import Counter

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.config import EngineConfig
from torchpaged.engine_args import KNOWN, read_settings
from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.sampling_params import SamplingParams
from torchpaged.serving.app import Service
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.rows import RowCompleter

if TYPE_CHECKING:
    import pyarrow as pa
    from starlette.types import ASGIApp

# The longest that a step waits for Ray's own threads; Python's default of 5 ms doubles a step of 40 ms.
_SWITCH_INTERVAL = 0.0005
# Settings of an actor's engine, unless others are given; and a default of `EngineConfig` for an actor.
_DEFAULTS: Mapping[str, Any] = {"use_tqdm_on_load": False, "distributed_executor_backend": "ray"}
_MAX_NUM_SEQS = 64


class BatchLLM:
    """An actor that completes the rows of a dataset:

        dataset.map_batches(
            BatchLLM,
            fn_constructor_kwargs={"model": "..."},
            batch_format="pyarrow",
            batch_size=64,
            compute=ray.data.ActorPoolStrategy(size=2),
            num_cpus=8,
        )

    An actor has several batches under way, whose rows run together. Its torch uses as many threads as the actor has
    CPUs (`num_cpus`). Seeded and greedy rows get the same completion from any actor if the model is batch-invariant for
    that number of threads.

    Args:
        model, tokenizer, settings: as in `LLM`. If several actors share a machine, set `num_blocks` or
            `kv_cache_memory_bytes`, because each would take its share of the free memory.
        sampling_params, input_column, params_column: as in `RowCompleter`.
        report_interval: seconds between lines with this actor's tokens per second; 0: none.
    """

    def __init__(
        self,
        model: str,
        tokenizer: Any = None,
        *,
        sampling_params: SamplingParams | Mapping[str, Any] | None = None,
        input_column: str = "prompt",
        params_column: str | None = None,
        report_interval: float = 30.0,
        **settings: Any,
    ) -> None:
        sys.setswitchinterval(_SWITCH_INTERVAL)
        self._llm = AsyncLLM(model, tokenizer, **{**_DEFAULTS, **settings})
        self._rows = RowCompleter(self._llm, sampling_params, input_column=input_column, params_column=params_column)
        self._counters = {
            "num_input_tokens": Counter("torchpaged_prompt_tokens", "Tokens of prompts that were completed."),
            "num_generated_tokens": Counter("torchpaged_generation_tokens", "Tokens that were generated."),
        }
        self._report_interval = report_interval
        self._since, self._num_tokens, self._num_rows = time.monotonic(), 0, 0

    async def __call__(self, batch: pa.Table) -> pa.Table:
        """Return a batch with its completions, as `RowCompleter.complete` does."""
        completed = await self._rows.complete(batch)
        for name, counter in self._counters.items():
            count = sum(value or 0 for value in completed.column(name).to_pylist())
            if count:
                counter.inc(count)
            self._num_tokens += count
        self._num_rows += completed.num_rows
        self._report()
        return completed

    def _report(self) -> None:
        """Print the speed; Ray shows the output of actors on the driver's screen."""
        seconds = time.monotonic() - self._since
        if self._report_interval and seconds >= self._report_interval:
            speed = self._num_tokens / seconds
            print(f"torchpaged: {self._num_rows} rows, {speed:.0f} tokens a second", file=sys.stderr, flush=True)
            self._since, self._num_tokens, self._num_rows = time.monotonic(), 0, 0


@serve.ingress()
class OpenAIServer:
    """A replica of the server with all routes. Ray Serve checks its health and replaces unhealthy replicas.

    Args:
        model, tokenizer: as in `LLM`.
        engine_kwargs: settings of `LLM`.
        server_options: options of `ServeOptions`, except the address, which Ray Serve sets.
    """

    def __init__(
        self,
        model: str,
        tokenizer: str | None = None,
        *,
        engine_kwargs: Mapping[str, Any] | None = None,
        server_options: Mapping[str, Any] | None = None,
    ) -> None:
        sys.setswitchinterval(_SWITCH_INTERVAL)
        options = _options(server_options or {})
        settings = {**_DEFAULTS, **(engine_kwargs or {})}
        self._llm = AsyncLLM(model, tokenizer, step_timeout=options.step_timeout, **settings)
        self._service = Service(self._llm, options)

    def __serve_build_asgi_app__(self) -> ASGIApp:
        """Return the ASGI application for Ray Serve."""
        return self._service.app

    async def check_health(self) -> None:
        """Raise an error if the engine is not healthy, so that Ray Serve starts another replica."""
        await self._llm.check_health()

    def __del__(self) -> None:
        if hasattr(self, "_llm"):
            self._llm.shutdown()


# Options of ServeOptions that belong to the process that listens.
_OF_LISTENERS = (
    "host",
    "port",
    "uds",
    "ssl_certfile",
    "ssl_keyfile",
    "shutdown_timeout",
    "engine_process",
    "restart_engine",
)


def _options(given: Mapping[str, Any]) -> ServeOptions:
    """Return the server's options. Raises a ConfigError for options that Ray Serve sets, and if there is no key."""
    known = ServeOptions.__dataclass_fields__.keys() - set(_OF_LISTENERS)
    for name in given:
        if name in _OF_LISTENERS:
            raise ConfigError(f"server_options: {name} is set by Ray Serve; leave it out")
        if name not in known and name in KNOWN:
            raise ConfigError(f"server_options: {name} is a setting of LLM; give it in engine_kwargs")
        if name not in known:
            raise ConfigError(f"server_options: unknown option {name!r}{did_you_mean(name, known)}")
    options = ServeOptions(**given)
    if not (options.api_key or options.api_key_file or options.allow_anonymous):
        raise ConfigError(
            "server_options: there is no key, and Ray Serve may listen at any address: give api_key or api_key_file, "
            "or say allow_anonymous=True"
        )
    return options


_ARGUMENTS = ("model", "tokenizer", "engine_kwargs", "server_options", "deployment_config")


def build_openai_app(args: Mapping[str, Any]) -> serve.Application:
    """Build an application for `serve.run`, or for `import_path` in Ray Serve's YAML, with its `args`.

    Args:
        args: `model`, `tokenizer`, `engine_kwargs` and `server_options` of `OpenAIServer`, and Ray Serve's
            `deployment_config`: num_replicas, autoscaling_config, ray_actor_options, ...

    Raises:
        ConfigError: a replica would refuse the arguments.
    """
    if unknown := args.keys() - set(_ARGUMENTS):
        name = min(unknown)
        hint = did_you_mean(name, _ARGUMENTS) or f", expected some of {', '.join(_ARGUMENTS)}"
        raise ConfigError(f"build_openai_app: unknown argument {name!r}{hint}")
    if not isinstance(args.get("model"), str):
        raise ConfigError(f"build_openai_app: model is {args.get('model')!r:.80}, expected a folder or hub id")
    engine_kwargs = dict(args.get("engine_kwargs") or {})
    settings = {name: value for name, value in engine_kwargs.items() if name != "engine_process"}
    EngineConfig(**read_settings(settings).engine)
    _options(args.get("server_options") or {})
    # Ray's default of 5 would never fill a batch. Half of the requests run, the other half waits for a slot.
    most = 2 * engine_kwargs.get("max_num_seqs", _MAX_NUM_SEQS)
    config = {"max_ongoing_requests": most, **(args.get("deployment_config") or {})}
    size = engine_kwargs.get("tensor_parallel_size", 1)
    if size > 1:  # a place for each rank, the first of which the replica has
        config = {**_places(size, config.get("ray_actor_options") or {}), **config}
    given = {name: args[name] for name in ("tokenizer", "engine_kwargs", "server_options") if name in args}
    return serve.deployment(OpenAIServer, name="torchpaged").options(**config).bind(args["model"], **given)


def _places(size: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the placement group of a replica with so many ranks, each with the replica's resources."""
    bundle = {"CPU": options.get("num_cpus", 1), "GPU": options.get("num_gpus", 0), **(options.get("resources") or {})}
    return {
        "placement_group_bundles": [{name: count for name, count in bundle.items() if count}] * size,
        "placement_group_strategy": "PACK",
    }
