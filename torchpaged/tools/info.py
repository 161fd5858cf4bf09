"""The command `torchpaged info`: versions, devices, operators, model families, and one model's facts."""

from __future__ import annotations

import argparse
import dataclasses
import math
import platform
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError


def info(given: argparse.Namespace) -> int:
    """Print versions, devices and backends; with a model, whether it is supported and what its cache takes."""
    if given.families:
        from torchpaged.integrations import families

        _print_rows([{"family": "family", "attention": "attention", "status": "status"}, *families.table()])
        return 0
    if given.startup or given.plot is not None:
        return _show_startup(given)
    import torch

    import torchpaged
    from torchpaged.ops import active_backend, cpu, describe
    from torchpaged.ops.library import OPERATORS

    if given.ops:
        rows = [
            {"op": "op", "device": "device", "backend": "backend (* default)", "supports": "supports"},
            *describe(),
        ]
        _print_rows(rows)
        print()
        for operator in OPERATORS:
            print(f"{operator.overload}{operator.schema}")
        return 0
    cuda = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    for name, value in (
        ("torchpaged", torchpaged.__version__),
        ("python", platform.python_version()),
        *((package, _version(package)) for package in ("torch", "triton", "transformers")),
        ("cpu", f"{platform.machine()}, {torch.get_num_threads()} threads"),
        (
            "isa",
            f"{cpu.isa()} (this machine has {', '.join(cpu.available_isas()) or 'none: no C++ library'})",
        ),
        ("cuda", cuda),
        (
            "backend",
            ", ".join(f"{device}: {active_backend('paged_attention', device)}" for device in ("cpu", "cuda")),
        ),
    ):
        print(f"{name:<13}{value}")
    if given.model is None:
        if given.exact:
            raise ConfigError("info: --exact is given without MODEL, expected the model that it is to try")
        return 0
    from torchpaged.execution.cache_sizing import slot_bytes
    from torchpaged.execution.exact import why_not_exact
    from torchpaged.execution.paged_kv_cache import bytes_per_block, index_bytes
    from torchpaged.integrations import families
    from torchpaged.integrations.transformers import adapter

    config = _print_weights(given)
    reason = families.unsupported_reason(config)
    count = getattr(config, "num_hidden_layers", None)  # not every config has one
    layers_of = "" if count is None else f", {count} layers"
    print(f"{'model':<13}{config.model_type}{layers_of}: {reason or 'supported'}")
    if reason is not None:
        return 2
    dtype = config.dtype or torch.float32
    # The layers of cross-attention keep the encoder's tokens: as much for each.
    spec = adapter.spec_without_weights(config, trust_remote_code=given.trust_remote_code)
    layers = spec.layers
    kept = [shape for shape in layers.values() if not shape.cross and not shape.convolution]
    unit = math.lcm(*(each.tokens_per_row for shape in kept for each in shape.index))
    per_token, chosen_by = (count(kept, unit, dtype) / unit for count in (bytes_per_block, index_bytes))
    parts = f": {per_token - chosen_by:.12g} of keys and values, {chosen_by:.12g} of index keys" if chosen_by else ""
    cached = "none; a step takes " if spec.is_encoder else ""
    size = f"{per_token:.12g} bytes a token in {str(dtype).removeprefix('torch.')}{parts}"
    print(f"{'cache':<13}{cached}{size}")
    inputs = [shape for shape in layers.values() if shape.convolution]
    if inputs:
        width = max(shape.sliding_window for shape in inputs)
        print(f"{'':<13}{bytes_per_block(inputs, 1, dtype)} bytes of convolutions for each of the last {width} tokens")
    if spec.media_layers:
        least, most = spec.media_sizes
        print(f"{'':<13}{spec.feature_size * dtype.itemsize} bytes for each of {least} to {most} features of an image")
    if spec.states:
        state, tail = slot_bytes(dataclasses.replace(spec, dtype=dtype))
        print(
            f"{'':<13}{state} bytes of states for each {spec.state_chunk} tokens that they are kept behind: of a "
            f"sequence that runs the last, and those that others may find; {tail} bytes of the tokens since"
        )
    if given.exact:
        model = adapter.load(given.model, trust_remote_code=given.trust_remote_code)
        model.weights.optimize(float32=False)  # as an engine does if it is not told otherwise
        difference = why_not_exact(model)
        own = model.weights.report.reason if model.weights.report is not None else None
        why = difference if own in (None, difference) else f"{difference}; it runs as it is: {own}"
        print(f"{'exact':<13}{'yes' if difference is None else f'no: {why}'}")
    return 0


def _show_startup(given: argparse.Namespace) -> int:
    """Start the model twice and draw the parts of both starts."""
    from torchpaged.tools import cli_utils, startup_report

    if given.model is None:
        raise ConfigError("info: --startup is given without MODEL, expected the model that it is to start")
    if not given.startup:
        raise ConfigError(f"info: --plot {given.plot} is given without --startup, whose bars it draws")
    cli_utils.require_model(given.model)
    if given.plot is not None:
        cli_utils.require_writable(given.plot, "--plot")
        startup_report.require_matplotlib()
    starts = startup_report.measure(given.model, {"trust_remote_code": True} if given.trust_remote_code else {})
    print(startup_report.chart(starts, shutil.get_terminal_size().columns))
    if given.plot is not None:
        startup_report.plot(starts, f"torchpaged: {Path(given.model).name}", given.plot)
    return 0


def _print_weights(given: argparse.Namespace) -> Any:
    """Print how weights are stored and run, and return the decoder's config. ModelError if no kernel has them."""
    from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
    from torchpaged.integrations.checkpoints.gguf import loader
    from torchpaged.tools.generate import size_of
    from torchpaged.weights.gguf_file import Gguf

    if given.model.endswith(".gguf"):
        file = Gguf(given.model)
        kinds = ", ".join(f"{name} {size_of(count)}" for name, count in loader.bytes_by_format(file).most_common())
        print(f"{'file':<13}{loader.describe(file)}: {kinds}")
        checkpoint = Checkpoint.resolve(file)
        print(f"{'runs as':<13}{loader.repacked(file) or 'it is stored'}")
        return checkpoint.decoder_config
    checkpoint = Checkpoint.resolve(given.model, trust_remote_code=given.trust_remote_code)
    if checkpoint.scheme is not None:
        runs_as = checkpoint.scheme.runs_as or "as it is stored"
        print(f"{'quantised':<13}{checkpoint.scheme.name}; runs on the CPU {runs_as}")
    elif checkpoint.quantization_method is not None:
        method = checkpoint.quantization_method
        print(f"{'quantised':<13}{method}: left to transformers, and to the package of the method")
    return checkpoint.decoder_config


def _print_rows(rows: Sequence[dict[str, str]]) -> None:
    widths = {key: max(len(row[key]) for row in rows) for key in rows[0]}
    for row in rows:
        print("  ".join(f"{row[key]:<{widths[key]}}" for key in row).rstrip())


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
