"""The registry: all operators, and for each device the backends that run them.

Owns the `torchpaged` operator namespace. The families' files say everything about each operator (`Operator`); this file
registers all of them alike. A backend is a function in destination-passing style: the registry picks it, checks the
arguments and allocates the results. The C++ library instead registers itself with the dispatcher's CPU key, so that a
call does not pass through Python.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.library import Library

from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.ops import (
    attention,
    autocast,
    autograd,
    batching,
    cache,
    checks,
    convolution,
    cpu,
    devices,
    docs,
    flops,
    foreign,
    gradients,
    inductor,
    linear,
    logits,
    lora,
    plugins,
    pointwise,
    recurrent,
    sparse_attention,
    topk,
    value_checks,
    varlen_attention,
)

# `as`: others import these two from here.
from torchpaged.ops.operator import NAMESPACE as NAMESPACE
from torchpaged.ops.operator import Operator as Operator

_CPU = torch.device("cpu")
# The C++ kernels once more, under a name that no override of the public operators touches.
NATIVE_NAMESPACE = f"{NAMESPACE}_cpp"

# For compilers: strides that a check looks at must be those that it would see without them.
_TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)

OPERATORS: tuple[Operator, ...] = (
    *attention.OPERATORS,
    *cache.OPERATORS,
    *convolution.OPERATORS,
    *linear.OPERATORS,
    *logits.OPERATORS,
    *lora.OPERATORS,
    *pointwise.OPERATORS,
    *recurrent.OPERATORS,
    *sparse_attention.OPERATORS,
    *topk.OPERATORS,
    *varlen_attention.OPERATORS,
)
# Overloads of one name share their backends.
_BY_NAME = {operator.name: operator for operator in OPERATORS}
NAMES: tuple[str, ...] = tuple(_BY_NAME)

# None when the backend can do the call, else a few words that name what it cannot.
Supports = Callable[..., "str | None"]


@dataclass(frozen=True, slots=True)
class Backend:
    """An implementation of one operator on one device type.

    `fn` has the signature that `reference.py` shows for the operator; it is None for the C++ library, which the
    dispatcher calls by itself. `supports(**arguments)` returns None, or what the backend lacks for a call.
    """

    name: str
    fn: Callable[..., None] | None
    supports: Supports
    summary: str = ""


def _supports_everything(**_: Any) -> str | None:
    return None


# --- The registry's state ---------------------------------------------------------------------------------

_backends: dict[tuple[str, str], list[Backend]] = {}
_wanted: dict[str | None, str] = {}  # the backend that was asked for, by operator; None: for all others
_overrides: dict[str, Library] = {}  # device type -> the Python kernels on its dispatch key
_warned: set[tuple[str, str]] = set()
_definitions: list[Library] = []  # libraries live as long as the module


def _define() -> None:
    for namespace in (NAMESPACE, NATIVE_NAMESPACE):
        library = Library(namespace, "DEF")
        _definitions.append(library)
        for operator in OPERATORS:
            library.define(operator.overload + operator.schema, tags=_TAGS)
            torch.library.register_fake(f"{namespace}::{operator.overload}", _checked_fake(operator), lib=library)
        for operator in OPERATORS:  # defined, all of them: a derivative runs another operator
            packet = operator.packet(namespace)
            library.impl(operator.overload, autograd.kernel(operator, packet), "Autograd", with_keyset=True)
            library.impl(operator.overload, batching.kernel(operator, packet), batching.DISPATCH_KEY)
            for key in autocast.DISPATCH_KEYS:
                library.impl(operator.overload, autocast.kernel(operator, packet), key)
        _describe(namespace)
    autograd.define_refusal(_definitions[0])
    gradients.define(_definitions[0])
    flops.register(OPERATORS)


def _describe(namespace: str) -> None:
    """Set docstrings: an overload's is its own, a packet's those of its overloads."""
    texts: dict[str, list[str]] = {}
    for operator in OPERATORS:
        of = () if operator.gradient is None else operator.gradient.of
        names = () if operator.fold is None else operator.fold.names
        vmap = docs.vmap(operator.vmap_with, names)
        text = docs.of_overload(operator.overload, operator.schema, operator.doc, vmap, of)
        operator.packet(namespace).__doc__ = text
        texts.setdefault(operator.overload.split(".")[0], []).append(text)
    for name, overloads in texts.items():
        getattr(getattr(torch.ops, namespace), name).__doc__ = "\n\n".join(overloads)


def _checked_fake(operator: Operator) -> Callable[..., Any]:
    def fake(*args: Any, **kwargs: Any) -> Any:
        operator.check(operator.overload, *args, **kwargs)
        named = operator.named_arguments(args, kwargs)
        inductor.prepare(named[argument.name] for argument in operator.arguments if argument.is_write)
        return operator.fake(*args, **kwargs)

    return fake


def _device(args: tuple[Any, ...]) -> torch.device:
    """Return the device that a call runs on: with tensors on several devices (swap), the one that is not the CPU."""
    tensors = [t for a in args for t in (a if isinstance(a, (list, tuple)) else [a]) if isinstance(t, Tensor)]
    return next((t.device for t in tensors if t.device.type != "cpu"), _CPU)


def _select(operator: Operator, device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Backend:
    candidates = _backends.get((operator.name, device), [])
    if (wanted := _asked_for(operator.name)) is not None:
        named = [backend for backend in candidates if backend.name == wanted]
        if not named:
            names = ", ".join(backend.name for backend in candidates) or "none"
            raise ConfigError(f"{operator.name}: no backend {wanted!r} on {device}; there are: {names}")
        candidates = named
    arguments = operator.named_arguments(args, kwargs)
    refusals: list[str] = []
    for backend in candidates:
        missing = backend.supports(**arguments)
        if missing is None:
            if refusals and (operator.name, refusals[0]) not in _warned:
                _warned.add((operator.name, refusals[0]))
                warnings.warn(f"{operator.name} falls back to {backend.name!r}: {refusals[0]}", stacklevel=3)
            return backend
        if not isinstance(missing, str):
            raise TypeError(
                f"{operator.name}: supports of backend {backend.name!r} returned {missing!r}, expected None where "
                "it can do the call, else a few words for what it cannot"
            )
        refusals.append(f"backend {backend.name!r} does not support {missing}")
    reasons = "; ".join(refusals) or f"no backend is registered for {device}"
    raise NotImplementedError(f"{operator.name}: {reasons}")


def _asked_for(name: str) -> str | None:
    """Return the backend that an operator was told to use; None: the first that can."""
    return _wanted.get(name, _wanted.get(None))


def _python_kernel(operator: Operator) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        device = _device(args)
        backend = _select(operator, device.type, args, kwargs)
        if backend.fn is None:
            return operator.packet(NATIVE_NAMESPACE)(*args, **kwargs)
        operator.check(operator.overload, *args, **kwargs)
        if operator.check_values is not None and (
            device.type == "cpu" or (checks.ENABLED and not value_checks.is_capturing(device))
        ):
            operator.check_values(operator.overload, operator.named_arguments(args, kwargs))
        with devices.current(device):
            return operator.run(backend.fn, *args, **kwargs)

    return kernel


def _refresh(device: str) -> None:
    """Put the Python selector on a device's dispatch key, or take it off where C++ can be called directly.

    Called after each change of what is registered or asked for.
    """
    active_backend.cache_clear()
    if previous := _overrides.pop(device, None):
        previous._destroy()
    needed = [op for op in OPERATORS if not _is_direct(op.name, device)]
    if not needed:
        return
    library = Library(NAMESPACE, "IMPL")
    with warnings.catch_warnings():
        # The dispatcher warns that a kernel is replaced, which is the purpose here.
        warnings.filterwarnings("ignore", message="Warning only once for all operators")
        for operator in needed:
            if (operator.name, device) in _backends:
                library.impl(operator.overload, _python_kernel(operator), _dispatch_key(device), allow_override=True)
    _overrides[device] = library


def _is_direct(name: str, device: str) -> bool:
    candidates = _backends.get((name, device), [])
    first = next((b for b in candidates if _asked_for(name) in (None, b.name)), None)
    return first is not None and first.fn is None


def _dispatch_key(device: str) -> str:
    return {"cpu": "CPU", "cuda": "CUDA"}.get(device, device.upper())


# --- The public interface -----------------------------------------------------------------------------------


def register_backend(
    op: str,
    device: str,
    name: str,
    fn: Callable[..., None],
    supports: Supports | None = None,
    *,
    summary: str = "",
) -> None:
    """Add an implementation of one operator; from then on calls that it supports go to it.

    Args:
        op: one of `library.NAMES`; the overloads of an operator share their backends.
        device: a `torch.device` type, such as "cpu" or "cuda".
        name: the backend's name for `TORCHPAGED_BACKEND` and `set_backend`; registering it again replaces the backend.
        fn: a function with the signature of the same name in `torchpaged.ops.reference`: it writes its
            results into the tensors it is given and returns None.
        supports: called with the operator's arguments by name; returns None if `fn` can do the call, else a few words
            for the part that it cannot do ("a tree mask"). By default everything is supported.
        summary: one line for `torchpaged info --ops`.

    Raises:
        ValueError: for an operator that does not exist or an empty name.
        TypeError: `fn` is not a function.
    """
    if op not in NAMES:
        raise ValueError(f"register_backend: op is {op!r}, expected one of {', '.join(NAMES)}")
    if not name:
        raise ValueError("register_backend: name is empty, expected a word to call the backend by")
    if not callable(fn):
        raise TypeError(f"register_backend: fn is {fn!r}, expected a function")
    rows = _backends.setdefault((op, torch.device(device).type), [])
    rows[:] = [row for row in rows if row.name != name]
    rows.insert(0, Backend(name, _that_writes(op, name, fn), supports or _supports_everything, summary))
    _refresh(torch.device(device).type)


def _that_writes(op: str, name: str, fn: Callable[..., Any]) -> Callable[..., None]:
    """Wrap `fn` to raise where it returns a new result, since the registry only reads the tensors that it passed in."""

    @functools.wraps(fn)
    def write(*args: Any, **kwargs: Any) -> None:
        returned = fn(*args, **kwargs)
        if returned is not None and all(returned is not given for given in (*args, *kwargs.values())):
            raise TypeError(
                f"{op}: backend {name!r} returned {type(returned).__name__}, expected None: it writes its results into "
                f"the tensors that it is given, as {op} of torchpaged.ops.reference does"
            )

    return write


def unregister_backend(op: str, device: str, name: str) -> None:
    """Remove a backend that `register_backend` added. Raises ValueError for an unknown name."""
    rows = _backends.get((op, device), [])
    if all(row.name != name for row in rows):
        raise ValueError(f"unregister_backend: no backend {name!r} for {op} on {device}")
    rows[:] = [row for row in rows if row.name != name]
    _refresh(device)


def set_backend(name: str | None, *, op: str | None = None) -> None:
    """Ask for a backend by name, for one operator or for all; None restores the default order.

    An operator without such a backend, or a call that it does not support, raises: there is no fallback from a backend
    that was asked for. The environment variable `TORCHPAGED_BACKEND` does the same, for single operators too:
    "reference,paged_attention=mine". A name that is not registered is looked for among the entry points of installed
    packages (`ops/plugins.py`), and loaded.

    Args:
        op: one of `library.NAMES`, for which this goes before the backend of all; None: all operators, so that
            `set_backend(None)` takes back every request.

    Raises:
        ValueError: there is no such name or operator, or the operator has no such backend.
        ImportError: an entry point failed.
    """
    if op is not None and op not in NAMES:
        raise ValueError(f"set_backend: op is {op!r}, expected one of {', '.join(NAMES)}")
    if name is not None:
        _require_backend(name, op)
    if name is None and op is None:
        _wanted.clear()
    elif name is None:
        _wanted.pop(op, None)
    else:
        _wanted[op] = name
    for device in {device for _, device in _backends}:
        _refresh(device)


def _require_backend(name: str, op: str | None) -> None:
    def having() -> list[str]:
        return list(dict.fromkeys(of for (of, _), rows in _backends.items() if any(row.name == name for row in rows)))

    if not having():
        entry_point = plugins.load(name)
        if entry_point is None:
            known = sorted({row.name for rows in _backends.values() for row in rows} | set(plugins.names()))
            hint = did_you_mean(name, known)
            raise ValueError(f"set_backend: name is {name!r}, expected one of {', '.join(known)} or None{hint}")
        if not having():
            raise ValueError(f"set_backend: the entry point of {name!r}, {entry_point}, registered no backend {name!r}")
    if op is not None and op not in having():
        raise ValueError(f"set_backend: {name!r} is no backend of {op}; it has {', '.join(having())}")


def backends(op: str, device: str) -> tuple[Backend, ...]:
    """Return the backends of an operator on a device type, in the order in which they are asked."""
    return tuple(_backends.get((op, device), ()))


@functools.cache
def active_backend(op: str, device: str) -> str | None:
    """Return the name of the backend that a plain call of `op` on `device` is offered to first."""
    candidates = [b.name for b in backends(op, device) if _asked_for(op) in (None, b.name)]
    return candidates[0] if candidates else None


def describe() -> list[dict[str, str]]:
    """Return the backends as rows of text: operator, device, backend (a * marks the default), what it supports."""
    rows = []
    for (name, device), candidates in sorted(_backends.items()):
        for backend in candidates:
            active = "*" if backend.name == active_backend(name, device) else ""
            rows.append({"op": name, "device": device, "backend": backend.name + active, "supports": backend.summary})
    return rows


# --- Backends that ship with torchpaged -----------------------------------------------------------------------


def _register_shipped() -> None:
    everything = "all arguments"
    for name, operator in _BY_NAME.items():
        row = Backend("reference", operator.reference, _supports_everything, everything + ", plain PyTorch")
        for device in ("cpu", "cuda"):
            _backends[name, device] = [row]
    _wanted.update(_from_environment())
    if _wanted.get(None) != "reference" and cpu.load():
        for name in NAMES:
            cpp = Backend("cpp", None, _supports_everything, f"all arguments, C++ ({cpu.isa()})")
            _backends[name, "cpu"].insert(0, cpp)
    if importlib.util.find_spec("triton") is not None:
        for name in (name for name, operator in _BY_NAME.items() if operator.triton):
            row = Backend("triton", _lazy_triton(name), _supports_everything, "all arguments, sm_80 and later")
            _backends[name, "cuda"].insert(0, row)
    for name, (_, summary) in foreign.BACKENDS.items():  # last, after those that can do everything
        row = Backend(name, foreign.launcher(name), foreign.supports(name), summary)
        _backends["paged_attention", "cuda"].append(row)
    for device in ("cpu", "cuda"):
        _refresh(device)


def _from_environment() -> dict[str | None, str]:
    """Read TORCHPAGED_BACKEND: a name for all operators, operator=name for one, or several, separated by commas."""
    words = os.environ.get("TORCHPAGED_BACKEND", "").split(",")
    asked = {op or None: name for op, _, name in (word.strip().rpartition("=") for word in words if word.strip())}
    if "" in asked.values():
        raise ConfigError(f"TORCHPAGED_BACKEND is {','.join(words)!r:.80}, expected a backend's name, or operator=name")
    for op in asked.keys() - {None, *NAMES}:
        raise ConfigError(f"TORCHPAGED_BACKEND names the operator {op!r}, expected one of {', '.join(NAMES)}")
    return asked


def load_asked_for() -> None:
    """Load the entry points of backends that TORCHPAGED_BACKEND asks for. Others may still be registered later.

    This comes last in the import of `torchpaged.ops`, which such a backend imports itself.
    """
    for name in set(_wanted.values()) - {row.name for rows in _backends.values() for row in rows}:
        plugins.load(name)


def require_asked_for(device: str) -> None:
    """Check the backends that TORCHPAGED_BACKEND or `set_backend` asks for, before a model is loaded for a device type.

    Raises:
        ConfigError: the device has none of that name, or the library that it calls is not there.
    """
    for op, name in _wanted.items():
        rows = [row for (of, on), rows in _backends.items() if on == device and op in (None, of) for row in rows]
        if all(row.name != name for row in rows):
            names = ", ".join(dict.fromkeys(row.name for row in rows)) or "none"
            raise ConfigError(f"{op or 'TORCHPAGED_BACKEND'}: no backend {name!r} on {device}; there are: {names}")
        if name in foreign.BACKENDS and (reason := foreign.unavailable(name)) is not None:
            raise ConfigError(f"{op or 'TORCHPAGED_BACKEND'}: backend {name!r} does not support {reason}")


def _lazy_triton(name: str) -> Callable[..., None]:
    """Return a launcher that imports Triton at its first call: that takes a second, and a GPU is needed to run it."""

    def launch(*args: Any, **kwargs: Any) -> None:
        from torchpaged.ops import triton

        triton.LAUNCHERS[name](*args, **kwargs)

    return launch


_define()
_register_shipped()
