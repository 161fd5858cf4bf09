"""`torch.compile(model, backend="torchpaged")`: all stages of the compiler for any module on the CPU. For inference.

`LLM` does the same to transformers' models through `optimize`. Each graph of dynamo is traced, rewritten, packed, and
run from C++ in short calls. No paged operator runs during compilation.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler.codegen import MAX_TOKENS
from torchpaged.compiler.graph import Graph, NotTraceable
from torchpaged.compiler.graph_inputs import GraphInputs
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.program import Program
from torchpaged.compiler.tracer import trace
from torchpaged.compiler.weight_packing import (
    PackedWeight,
    PackingMismatch,
    missing_kernels,
    pack,
    sampled_bytes,
    version_of,
)
from torchpaged.errors import ConfigError, GradientError, TorchpagedError, did_you_mean
from torchpaged.utils.torch_state import has_observers

logger = logging.getLogger(__name__)

OPTIONS: Mapping[str, tuple[Any, ...]] = {"quantization": (None, "int8", "int4"), "replay": (True, False)}
# Limit of |rewritten - original| / |original| per row, as in `optimize`.
_LARGEST_DIFFERENCE = 0.1


def torchpaged(
    graph: fx.GraphModule, inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """Compile one graph of dynamo. The backend that `torch.compile` calls.

    Args:
        graph, inputs: from dynamo, with parameters among the inputs.
        options: quantization: "int8" or "int4" for the weights of linear layers (with "int4" a layer whose result the
            graph returns has 8 bits), default None. replay: whether short calls run from C++, default True.
        mode: must be None.

    Returns:
        The compiled graph. A graph that cannot be compiled runs as it is, with a warning that says why. On an error of
        the caller, a function that raises it: ConfigError for an option or mode, GradientError with gradients enabled.
    """
    try:
        if mode is not None:
            raise ConfigError(f"torch.compile: backend 'torchpaged' has no mode, got {mode!r:.60}; leave it out")
        validated = _validated(options or {})
        _require_inference(inputs)
        return CompiledGraph(graph, inputs, **validated)
    except TorchpagedError as error:  # dynamo would wrap an error that is raised here
        return _raising(error)


def _validated(options: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in options.items():
        if name not in OPTIONS:
            raise ConfigError(
                f"torch.compile: backend 'torchpaged' has no option {name!r:.60}, expected {', '.join(OPTIONS)}"
                + did_you_mean(name, OPTIONS)
            )
        if value not in OPTIONS[name]:
            legal = ", ".join(map(repr, OPTIONS[name]))
            raise ConfigError(
                f"torch.compile: option {name} of backend 'torchpaged' is {value!r:.60}, expected {legal}"
            )
    return {name: options.get(name, values[0]) for name, values in OPTIONS.items()}


def _require_inference(inputs: Sequence[Any]) -> None:
    if torch.is_grad_enabled() and any(isinstance(each, Tensor) and each.requires_grad for each in inputs):
        raise GradientError(
            "torch.compile: backend 'torchpaged' is for inference, and gradients would be recorded; call the module "
            "under torch.inference_mode(), or train the module itself"
        )


def _raising(error: Exception) -> Callable[..., Any]:
    def call(*_: Any) -> Any:
        raise error

    return call


class CompiledGraph:
    """A compiled graph.

    It is compiled again when a weight has changed: when another tensor is passed, or one was written into. A changed
    tensor that is no parameter is an input from then on, not a constant.

    Args:
        graph: from dynamo.
        inputs: arguments of its first call.
        quantization, replay: as in `torchpaged`.

    Attributes:
        reason: why the original graph runs; None if the compiled one does.
        rewrites: number of rewrites by kind, as in `OptimizeReport`.
        replay_reason: why short calls do not run from C++; None if they do.
    """

    def __init__(self, graph: fx.GraphModule, inputs: Sequence[Any], *, quantization: str | None, replay: bool) -> None:
        self._graph, self._quantization, self._replay = graph, quantization, replay
        self._graph_inputs = GraphInputs(graph, inputs)
        self._compile(inputs)

    def __call__(self, *inputs: Any) -> Any:
        """Run the graph."""
        if self._weights_changed(inputs):
            self._compile(inputs)
        program = self._program
        if program is not None and torch.is_inference_mode_enabled() and not has_observers():
            numbers = [inputs[i] for i in self._number_places]
            if all(numbers[i] <= MAX_TOKENS for i in self._short):
                return (program([inputs[i] for i in self._tensor_places], numbers),)
        return self._forward(*[inputs[i] for i in self._places])

    def _weights_changed(self, inputs: Sequence[Any]) -> bool:
        """Return True if a weight has changed. One that is no parameter stops being a weight."""
        now = [inputs[i] for i in self._weight_places]
        changed = [
            i
            for i, new, old, version in zip(self._weight_places, now, self._weights, self._versions, strict=True)
            if new is not old or _version(new) != version
        ]
        if not changed:
            return not self._samples.unchanged()
        for i in changed:
            if not isinstance(inputs[i], nn.Parameter):
                self._graph_inputs.weights.discard(self._graph_inputs.names[i])
        return bool(changed)

    def _compile(self, inputs: Sequence[Any]) -> None:
        """Compile the graph, with the weights among these inputs."""
        names = self._graph_inputs.names
        self.reason: str | None = missing_kernels(_device(inputs))
        self.rewrites: dict[str, int] = {}
        self.replay_reason: str | None = None if self._replay else "replay is False"
        self._program: Program | None = None
        self._short: set[int] = set()
        self._held: list[PackedWeight] = []
        frozen: set[str] = set()
        try:
            if self.reason is None:
                with torch.inference_mode():
                    frozen = self._rewrite(inputs)
        except (NotTraceable, PackingMismatch) as error:
            self.reason = str(error)
        except TorchpagedError:
            raise
        except Exception as error:  # any module must still run as it is, whatever its code does while it is traced
            self.reason = f"{type(error).__name__}: {error}"
        if self.reason is not None:
            logger.warning("a graph runs as it is, without backend 'torchpaged': %s", self.reason)
            self._forward, self._program = self._graph.forward, None
            frozen = set()
        places = {name: i for i, name in enumerate(names)}
        self._places = [places[name] for name in names if name not in frozen]
        self._number_places = [places[name] for name in self._graph_inputs.numbers]
        self._tensor_places = [i for i in self._places if names[i] not in self._graph_inputs.numbers]
        self._weight_places = sorted(places[name] for name in frozen)
        self._weights = [inputs[i] for i in self._weight_places]
        self._versions = [_version(each) for each in self._weights]
        self._samples = Samples(self._weights)

    def _rewrite(self, inputs: Sequence[Any]) -> set[str]:
        """Set the compiled forward. Return the names of the inputs that became constants."""
        samples, numbers = self._graph_inputs.sample_inputs(inputs), self._graph_inputs.numbers
        traced = trace(self._graph.forward, samples, numbers, run_paged=False)
        nodes, expected = traced.placeholders(), traced.result
        frozen = {name for name in self._graph_inputs.weights if traced.is_never_written(nodes[name])}
        traced.freeze([name for name in nodes if name in frozen])
        self.rewrites = rewrite(traced)
        held: list[PackedWeight] = []
        with torch.inference_mode(False), torch.no_grad():
            pack([traced], [], free=False, quantization=self._quantization, held=held)
        forward = traced.module().forward
        left = [{name: value for name, value in each.items() if name not in frozen} for each in samples]
        packed = trace(forward, left, numbers, run_paged=False)  # with the values of packed operators, for codegen
        if self._quantization is None:
            _require_close(packed.result, expected)
        self._forward, self._held = forward, held
        if self._replay:
            self._load(packed, left)
        return frozen

    def _load(self, traced: Graph, samples: Sequence[Mapping[str, Any]]) -> None:
        """Make a program of the compiled forward, or set `replay_reason`."""
        numbers = self._graph_inputs.numbers
        try:
            if not any(isinstance(each, Tensor) for each in samples[0].values()):
                raise NotTraceable("it has no tensor inputs")
            if self._graph_inputs.is_static and _rows(traced) > MAX_TOKENS:
                raise NotTraceable(f"its calls have more than {MAX_TOKENS} rows")
            work = _float_sizes(traced)
            program = Program(traced, numbers)
            self._short = program.bounded_sizes | {i for i, name in enumerate(numbers) if samples[0][name] in work}
            self._program = program
        except NotTraceable as error:
            self.replay_reason = str(error)
        except Exception as error:  # codegen met something unexpected: the Python forward runs
            self.replay_reason = f"{type(error).__name__}: {error}"
        if self.replay_reason is not None:
            logger.info("a graph is not replayed: %s", self.replay_reason)


class Samples:
    """Sampled elements of tensors, to detect writes that torch's version counter misses.

    Those are a fused optimizer's steps, and writes in inference mode to tensors that were made in it.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        by_size: dict[int, list[Tensor]] = {}
        for each in tensors:
            if type(each) in (Tensor, nn.Parameter):
                by_size.setdefault(each.itemsize, []).append(sampled_bytes(each))
        self._seen = [(views, torch.cat(views)) for views in by_size.values()]

    def unchanged(self) -> bool:
        """Return True if all samples have their first values."""
        return all(torch.equal(torch.cat(views), seen) for views, seen in self._seen)


def _version(weight: Tensor) -> tuple[int, int]:
    return weight.data_ptr(), version_of(weight)


def _device(inputs: Sequence[Any]) -> torch.device:
    """Return the first device that is not the CPU; the CPU if there is none."""
    devices = (each.device for each in inputs if isinstance(each, Tensor))
    return next((each for each in devices if each.type != "cpu"), torch.device("cpu"))


def _require_close(found: Any, expected: Any) -> None:
    """Raise NotTraceable unless results agree within rounding. Rows that are not finite are left out."""
    for a, b in zip(_floats(found), _floats(expected), strict=True):
        finite = b.isfinite().all(-1)  # a sample mask of zeros leaves rows without any key
        difference = (a - b).norm(dim=-1)[finite] / b.norm(dim=-1)[finite].clamp_min(1e-12)
        if finite.any() and not difference.median() <= _LARGEST_DIFFERENCE:
            raise NotTraceable(f"rewritten, its results differ by {difference.median():.2%}")


def _floats(results: Any) -> list[Tensor]:
    return [
        each.float().reshape(-1, each.shape[-1] if each.dim() else 1)
        for each in (results if isinstance(results, (tuple, list)) else [results])
        if isinstance(each, Tensor) and each.is_floating_point()
    ]


def _float_sizes(traced: Graph) -> set[int]:
    """Return all sizes of float results: the number of tokens is among them, a pool's number of blocks is not."""
    values = (traced.values.get(node) for node in traced.graph.nodes if node.op == "call_function")
    floats = (each for each in values if isinstance(each, Tensor) and each.is_floating_point())
    return {size for each in floats for size in each.shape}


def _rows(traced: Graph) -> int:
    """Return the number of rows of the largest packed product."""
    products = (node for node in traced.graph.nodes if node.target is torch.ops.torchpaged.packed_linear.default)
    inputs = (traced.values[node.args[0]] for node in products)
    return max((each.numel() // each.shape[-1] for each in inputs), default=0)
