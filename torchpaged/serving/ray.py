"""More than one machine, on Ray: `BatchLLM` for files that Ray Data reads, `build_openai_app` for Ray Serve.

Ray has the machines, the queues, the replicas and the files. Here is what runs in one of its actors.
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

# A step waits this long at most for Ray's own threads; Python's 5 ms double a step of 40.
_SWITCH_INTERVAL = 0.0005
# Of `EngineConfig`, for an actor that says nothing.
_MAX_NUM_SEQS = 64


class BatchLLM:
    """Completes the rows of a dataset:

        dataset.map_batches(
            BatchLLM,
            fn_constructor_kwargs={"model": "..."},
            batch_format="pyarrow",
            batch_size=64,
            compute=ray.data.ActorPoolStrategy(size=2),
            num_cpus=8,
        )

    An actor keeps several batches under way, and rows of all of them run together. Its torch takes as many threads as
    the actor has CPUs (`num_cpus`). Seeded and greedy rows get the same completion whoever computes them, where the
    model is exact for that number of threads.

    Args:
        model, tokenizer, settings: as of `LLM`. Where several actors share a machine, say `num_blocks` or
            `kv_cache_memory_bytes`: each would take its share of what is free.
        sampling_params, input_column, params_column: as of `RowCompleter`.
        report_interval: seconds between lines that say how many tokens a second this actor computes; 0: none.
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
        self._llm = AsyncLLM(model, tokenizer, **{"use_tqdm_on_load": False, **settings})
        self._rows = RowCompleter(self._llm, sampling_params, input_column=input_column, params_column=params_column)
        self._counters = {
            "num_input_tokens": Counter("torchpaged_prompt_tokens", "Tokens of prompts that were completed."),
            "num_generated_tokens": Counter("torchpaged_generation_tokens", "Tokens that were generated."),
        }
        self._report_interval = report_interval
        self._since, self._num_tokens, self._num_rows = time.monotonic(), 0, 0

    async def __call__(self, batch: pa.Table) -> pa.Table:
        """A batch with its completions, as of `RowCompleter.complete`."""
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
        """Ray shows on the driver's screen what its actors print."""
        seconds = time.monotonic() - self._since
        if self._report_interval and seconds >= self._report_interval:
            speed = self._num_tokens / seconds
            print(f"torchpaged: {self._num_rows} rows, {speed:.0f} tokens a second", file=sys.stderr, flush=True)
            self._since, self._num_tokens, self._num_rows = time.monotonic(), 0, 0


@serve.ingress()
class OpenAIServer:
    """A replica of the server, all its routes. Ray Serve asks it how it is, and replaces it when it is not well.

    Args:
        model, tokenizer: as of `LLM`.
        engine_kwargs: settings of `LLM`.
        server_options: as of `ServeOptions`. Where it listens is Ray Serve's to say.
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
        settings = {"use_tqdm_on_load": False, **(engine_kwargs or {})}
        self._llm = AsyncLLM(model, tokenizer, step_timeout=options.step_timeout, **settings)
        self._service = Service(self._llm, options)

    def __serve_build_asgi_app__(self) -> ASGIApp:
        """What Ray Serve sends requests to."""
        return self._service.app

    async def check_health(self) -> None:
        """Raises where the engine is not healthy; Ray Serve starts another replica then."""
        await self._llm.check_health()

    def __del__(self) -> None:
        if hasattr(self, "_llm"):
            self._llm.shutdown()


# Of ServeOptions: whoever listens decides on them.
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
    """Raises ConfigError for what Ray Serve decides on, and where nobody was asked whether everybody may ask."""
    known = ServeOptions.__dataclass_fields__.keys() - set(_OF_LISTENERS)
    for name in given:
        if name in _OF_LISTENERS:
            raise ConfigError(f"server_options: {name} is Ray Serve's to say; leave it out")
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
    """An application for `serve.run`, or as `import_path` for Ray Serve's YAML, whose `args` are these.

    Args:
        args: `model`, `tokenizer`, `engine_kwargs` and `server_options` of `OpenAIServer`, and `deployment_config`,
            which is Ray Serve's: num_replicas, autoscaling_config, ray_actor_options, ...

    Raises:
        ConfigError: what a replica would refuse, before there is one.
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
    # Ray's own default is 5, with which no batch would be full; the other half waits for a place in it.
    most = 2 * engine_kwargs.get("max_num_seqs", _MAX_NUM_SEQS)
    config = {"max_ongoing_requests": most, **(args.get("deployment_config") or {})}
    given = {name: args[name] for name in ("tokenizer", "engine_kwargs", "server_options") if name in args}
    return serve.deployment(OpenAIServer, name="torchpaged").options(**config).bind(args["model"], **given)
