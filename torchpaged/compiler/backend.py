"""`torch.compile(model, backend="torchpaged")`: for anybody's module on the CPU what `LLM` does to transformers'.

A graph of dynamo's is recorded as a list of torch's operators, at two sizes where sizes change; the rules of `rewrites`
put torchpaged's in their place, `packing` packs the weights, and `replay` runs short calls from C++. Nothing that
attends or writes pages runs meanwhile. For inference.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, fx, nn

from torchpaged.compiler.codegen import MOST_TOKENS
from torchpaged.compiler.graph import NotRecordable, Recording
from torchpaged.compiler.graph_inputs import GraphInputs
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.program import Program, watched
from torchpaged.compiler.tracer import record
from torchpaged.compiler.weight_packing import PackedWeight, WrongWeight, missing_kernels, pack, some_of, version_of
from torchpaged.errors import ConfigError, GradientError, TorchpagedError, did_you_mean

logger = logging.getLogger(__name__)

OPTIONS: Mapping[str, tuple[Any, ...]] = {"quantization": (None, "int8", "int4"), "replay": (True, False)}
# Of the norm of the results, as in `optimize`.
_LARGEST_DIFFERENCE = 0.1


def torchpaged(
    graph: fx.GraphModule, inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """What `torch.compile` calls for each graph.

    Args:
        graph, inputs: of dynamo's, with parameters among the inputs.
        options: quantization: "int8" or "int4" of linear layers' weights, where in four bits what is returned comes of
            eight; default None: as they are. replay: whether short calls run from C++; default True.
        mode: there is none.

    Returns:
        The graph made faster. Where that is not known how, a warning says why, and it runs as it is. What has no
        meaning raises when it is called: ConfigError of an option, GradientError where gradients are recorded.
    """
    try:
        if mode is not None:
            raise ConfigError(f"torch.compile: backend 'torchpaged' has no mode, and it is {mode!r:.60}; leave it out")
        chosen = _chosen(options or {})
        _require_inference(inputs)
        return Compiled(graph, inputs, **chosen)
    except TorchpagedError as error:  # dynamo would wrap what is raised here
        return _raising(error)


def _chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in options.items():
        if name not in OPTIONS:
            raise ConfigError(
                f"torch.compile: backend 'torchpaged' has no option {name!r:.60}, expected {', '.join(OPTIONS)}"
                + did_you_mean(name, OPTIONS)
            )
        if value not in OPTIONS[name]:
            known = ", ".join(map(repr, OPTIONS[name]))
            raise ConfigError(
                f"torch.compile: option {name} of backend 'torchpaged' is {value!r:.60}, expected {known}"
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


class Compiled:
    """A graph made faster.

    It is made anew when a weight has changed: when it is another tensor, or torch has seen it written into. What is no
    parameter and changes is an input from then on.

    Args:
        graph: of dynamo's.
        inputs: of its first call.
        quantization, replay: as of `torchpaged`.

    Attributes:
        reason: why the graph runs as it is; None where it does not.
        rewrites: how often each operator stands in for several, as of `OptimizeReport`.
        not_replayed: why short calls are not replayed; None where they are.
    """

    def __init__(self, graph: fx.GraphModule, inputs: Sequence[Any], *, quantization: str | None, replay: bool) -> None:
        self._graph, self._quantization, self._replay = graph, quantization, replay
        self._given = GraphInputs(graph, inputs)
        self._make(inputs)

    def __call__(self, *inputs: Any) -> Any:
        """What the graph returns."""
        if self._weights_changed(inputs):
            self._make(inputs)
        program = self._program
        if program is not None and torch.is_inference_mode_enabled() and not watched():
            numbers = [inputs[i] for i in self._number_places]
            if all(numbers[i] <= MOST_TOKENS for i in self._short):
                return (program([inputs[i] for i in self._tensor_places], numbers),)
        return self._forward(*[inputs[i] for i in self._places])

    def _weights_changed(self, inputs: Sequence[Any]) -> bool:
        """Whether one has; what has, and is no parameter, is none from now on."""
        now = [inputs[i] for i in self._weight_places]
        changed = [
            i
            for i, new, old, look in zip(self._weight_places, now, self._weights, self._looks, strict=True)
            if new is not old or _look(new) != look
        ]
        if not changed:
            return not self._samples.still()
        for i in changed:
            if not isinstance(inputs[i], nn.Parameter):
                self._given.weights.discard(self._given.names[i])
        return bool(changed)

    def _make(self, inputs: Sequence[Any]) -> None:
        """Sets what runs."""
        names = self._given.names
        self.reason: str | None = missing_kernels(_device(inputs))
        self.rewrites: dict[str, int] = {}
        self.not_replayed: str | None = None if self._replay else "replay is False"
        self._program: Program | None = None
        self._short: set[int] = set()
        self._held: list[PackedWeight] = []
        frozen: set[str] = set()
        try:
            if self.reason is None:
                with torch.inference_mode():
                    frozen = self._rewrite(inputs)
        except (NotRecordable, WrongWeight) as error:
            self.reason = str(error)
        except TorchpagedError:
            raise
        except Exception as error:  # whatever a module's code does under a recorder: it still runs without one
            self.reason = f"{type(error).__name__}: {error}"
        if self.reason is not None:
            logger.warning("a graph runs as it is, without backend 'torchpaged': %s", self.reason)
            self._forward, self._program = self._graph.forward, None
            frozen = set()
        places = {name: i for i, name in enumerate(names)}
        self._places = [places[name] for name in names if name not in frozen]
        self._number_places = [places[name] for name in self._given.numbers]
        self._tensor_places = [i for i in self._places if names[i] not in self._given.numbers]
        self._weight_places = sorted(places[name] for name in frozen)
        self._weights = [inputs[i] for i in self._weight_places]
        self._looks = [_look(each) for each in self._weights]
        self._samples = Samples(self._weights)

    def _rewrite(self, inputs: Sequence[Any]) -> set[str]:
        """Returns which inputs are constants now."""
        made_up, numbers = self._given.made_up(inputs), self._given.numbers
        recording = record(self._graph.forward, made_up, numbers, paged=False)
        nodes, expected = recording.placeholders(), recording.result
        frozen = {name for name in self._given.weights if recording.is_stable(nodes[name])}
        recording.freeze([name for name in nodes if name in frozen])
        self.rewrites = rewrite(recording)
        held: list[PackedWeight] = []
        with torch.inference_mode(False), torch.no_grad():
            pack([recording], [], free=False, quantization=self._quantization, held=held)
        forward = recording.module().forward
        left = [{name: value for name, value in each.items() if name not in frozen} for each in made_up]
        again = record(forward, left, numbers, paged=False)
        if self._quantization is None:
            _require_close(again.result, expected)
        self._forward, self._held = forward, held
        if self._replay:
            self._load(again, left)
        return frozen

    def _load(self, recording: Recording, made_up: Sequence[Mapping[str, Any]]) -> None:
        """Makes a program of what runs now."""
        numbers = self._given.numbers
        try:
            if not any(isinstance(each, Tensor) for each in made_up[0].values()):
                raise NotRecordable("it is given no tensors")
            if self._given.is_static and _rows(recording) > MOST_TOKENS:
                raise NotRecordable(f"its calls have more than {MOST_TOKENS} rows")
            work = _sizes_of_floats(recording)
            program = Program(recording, numbers)
            self._short = program.counted | {i for i, name in enumerate(numbers) if made_up[0][name] in work}
            self._program = program
        except NotRecordable as error:
            self.not_replayed = str(error)
        except Exception as error:  # what a rule does not know: the list runs as it is
            self.not_replayed = f"{type(error).__name__}: {error}"
        if self.not_replayed is not None:
            logger.info("a graph is not replayed: %s", self.not_replayed)


class Samples:
    """Some numbers of tensors, to see what torch does not count: a fused optimizer's step, and what is written in
    inference mode to what was made in it."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        by_size: dict[int, list[Tensor]] = {}
        for each in tensors:
            if type(each) in (Tensor, nn.Parameter):
                by_size.setdefault(each.itemsize, []).append(some_of(each))
        self._seen = [(views, torch.cat(views)) for views in by_size.values()]

    def still(self) -> bool:
        """Whether they are what they were."""
        return all(torch.equal(torch.cat(views), seen) for views, seen in self._seen)


def _look(weight: Tensor) -> tuple[int, int]:
    return weight.data_ptr(), version_of(weight)


def _device(inputs: Sequence[Any]) -> torch.device:
    """The first that is not the CPU."""
    devices = (each.device for each in inputs if isinstance(each, Tensor))
    return next((each for each in devices if each.type != "cpu"), torch.device("cpu"))


def _require_close(found: Any, expected: Any) -> None:
    """Raises NotRecordable unless the results are the same but for rounding, where made-up inputs have given any."""
    for a, b in zip(_floats(found), _floats(expected), strict=True):
        known = b.isfinite().all(-1)  # masks of zeros leave rows that see nothing
        difference = (a - b).norm(dim=-1)[known] / b.norm(dim=-1)[known].clamp_min(1e-12)
        if known.any() and not difference.median() <= _LARGEST_DIFFERENCE:
            raise NotRecordable(f"rewritten, its results differ by {difference.median():.2%}")


def _floats(results: Any) -> list[Tensor]:
    return [
        each.float().reshape(-1, each.shape[-1] if each.dim() else 1)
        for each in (results if isinstance(results, (tuple, list)) else [results])
        if isinstance(each, Tensor) and each.is_floating_point()
    ]


def _computed(recording: Recording) -> list[Tensor]:
    """What operators make of floats."""
    values = (recording.values.get(node) for node in recording.graph.nodes if node.op == "call_function")
    return [each for each in values if isinstance(each, Tensor) and each.is_floating_point()]


def _sizes_of_floats(recording: Recording) -> set[int]:
    """All that is computed with has these sizes: among them is the number of tokens, not that of a pool's blocks."""
    return {size for each in _computed(recording) for size in each.shape}


def _rows(recording: Recording) -> int:
    """How many rows the largest product has."""
    products = (node for node in recording.graph.nodes if node.target is torch.ops.torchpaged.packed_linear.default)
    inputs = (recording.values[node.args[0]] for node in products)
    return max((each.numel() // each.shape[-1] for each in inputs), default=0)
