"""The registry: one table of operators, and for each device the backends that run them.

Owns the `torchpaged` operator namespace. A backend is a function in destination-passing style; the
registry checks the arguments, allocates the results and picks the backend. The C++ library is the
exception: it registers itself with the dispatcher's CPU key, so that a call does not pass through Python.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.library import Library

from torchpaged.errors import did_you_mean
from torchpaged.ops import (
    autocast,
    autograd,
    batching,
    checks,
    convolution,
    cpu,
    devices,
    docs,
    flops,
    foreign,
    inductor,
    linear,
    logits,
    plugins,
    pointwise,
    reference,
    states,
    value_checks,
)

_CPU = torch.device("cpu")
NAMESPACE = "torchpaged"
# The C++ kernels once more, under a name that no override of the public operators touches.
NATIVE_NAMESPACE = "torchpaged_cpp"

# For compilers: strides that a check looks at must be those that it would see without them.
_TAGS = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)

_CACHES = "Tensor query, Tensor key_cache, Tensor value_cache, Tensor block_tables, Tensor seq_lens"
_OPTIONS = (
    "float? scale=None, bool causal=True, SymInt sliding_window=0, float softcap=0.0, "
    "Tensor? alibi_slopes=None, Tensor? sinks=None, Tensor? tree_mask=None, Tensor? k_scale=None, "
    "Tensor? v_scale=None, SymInt max_query_len=0, SymInt num_splits=0, Tensor? distance_bias=None"
)
_SCALES = "Tensor? k_scale=None, Tensor? v_scale=None"
_ATTENTION_DEFAULTS: Mapping[str, Any] = {
    "scale": None,
    "causal": True,
    "sliding_window": 0,
    "softcap": 0.0,
    "alibi_slopes": None,
    "sinks": None,
    "tree_mask": None,
    "k_scale": None,
    "v_scale": None,
    "max_query_len": 0,
    "num_splits": 0,
    "distance_bias": None,
}

# A runner takes one backend function and the operator's arguments: it allocates, calls, returns.
Runner = Callable[..., Any]
# None when the backend can do the call, else a few words that name what it cannot.
Supports = Callable[..., "str | None"]


@dataclass(frozen=True, slots=True)
class Operator:
    """One row of the table: a schema, its argument checks, its fake and how a backend is called."""

    overload: str  # "paged_attention.out"
    schema: str  # without the name
    check: Callable[..., None]
    fake: Callable[..., Any]
    run: Runner

    @property
    def name(self) -> str:
        """The name that backends register under: overloads and variants share one."""
        return self.overload.split(".")[0].removesuffix("_with_lse")

    def packet(self, namespace: str) -> Any:
        """The callable operator overload in `namespace`."""
        name, _, overload = self.overload.partition(".")
        return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")

    @property
    def arguments(self) -> list[Any]:
        """The schema's arguments, as torch has parsed them."""
        arguments: list[Any] = self.packet(NAMESPACE)._schema.arguments
        return arguments


@dataclass(frozen=True, slots=True)
class Backend:
    """Somebody's implementation of one operator on one device type.

    `fn` has the signature that `reference.py` shows for the operator; it is None for the C++ library,
    which the dispatcher calls by itself. `supports(**arguments)` returns None or what is missing.
    """

    name: str
    fn: Callable[..., None] | None
    supports: Supports
    summary: str = ""


def _supports_everything(**_: Any) -> str | None:
    return None


# --- What every overload allocates, and how it calls a backend ------------------------------------------


def _attention_output(query: Tensor, value_cache: Tensor) -> Tensor:
    return query.new_empty((query.shape[0], query.shape[1], value_cache.shape[3]))


def _attention_lse(query: Tensor) -> Tensor:
    return query.new_empty((query.shape[0], query.shape[1]), dtype=torch.float32)


def _attention_options(query: Tensor, options: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**_ATTENTION_DEFAULTS, **options}
    if merged["scale"] is None:
        merged["scale"] = query.shape[-1] ** -0.5
    return merged


def _run_attention(fn: Callable[..., None], query: Tensor, *args: Tensor, **options: Any) -> Tensor:
    out = _attention_output(query, args[1])
    fn(query, *args, out, None, **_attention_options(query, options))
    return out


def _run_attention_out(fn: Callable[..., None], query: Tensor, *args: Tensor, out: Tensor, **options: Any) -> None:
    fn(query, *args, out, None, **_attention_options(query, options))


def _run_attention_with_lse(
    fn: Callable[..., None], query: Tensor, *args: Tensor, **options: Any
) -> tuple[Tensor, Tensor]:
    out, lse = _attention_output(query, args[1]), _attention_lse(query)
    fn(query, *args, out, lse, **_attention_options(query, options))
    return out, lse


def _fake_attention(query: Tensor, key_cache: Tensor, value_cache: Tensor, *_: Any, **__: Any) -> Tensor:
    return _attention_output(query, value_cache)


def _fake_attention_with_lse(
    query: Tensor, key_cache: Tensor, value_cache: Tensor, *_: Any, **__: Any
) -> tuple[Tensor, Tensor]:
    return _attention_output(query, value_cache), _attention_lse(query)


def _fake_nothing(*_: Any, **__: Any) -> None:
    return None


def _fake_merge(out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor) -> tuple[Tensor, Tensor]:
    # A result that follows its input's strides is what `empty_like` gives; kernels want it contiguous.
    return out_a.new_empty(out_a.shape), lse_a.new_empty(lse_a.shape)


def _run_merge(fn: Callable[..., None], *args: Tensor) -> tuple[Tensor, Tensor]:
    out, lse = _fake_merge(*args)
    fn(*args, out, lse)
    return out, lse


def _run_write(fn: Callable[..., None], *args: Tensor, **scales: Tensor | None) -> None:
    names = ("k_scale", "v_scale", "k_scale_cache", "v_scale_cache")
    fn(*args, **{name: scales.get(name) for name in names})


def _fake_gather(
    key_cache: Tensor, value_cache: Tensor, block_tables: Tensor, seq_lens: Tensor, max_tokens: int, **_: Any
) -> tuple[Tensor, Tensor]:
    def output(cache: Tensor) -> Tensor:
        dtype = torch.float32 if checks.is_quantised(cache.dtype) else cache.dtype
        shape = (seq_lens.shape[0], max_tokens, cache.shape[2], cache.shape[3])
        return cache.new_empty(shape, dtype=dtype)

    return output(key_cache), output(value_cache)


def _run_gather(
    fn: Callable[..., None],
    key_cache: Tensor,
    value_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    max_tokens: int,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    key, value = _fake_gather(key_cache, value_cache, block_tables, seq_lens, max_tokens)
    fn(key_cache, value_cache, block_tables, seq_lens, key, value, k_scale=k_scale, v_scale=v_scale)
    return key, value


def _fake_sample(logits: Tensor, *_: Tensor) -> Tensor:
    return logits.new_empty((logits.shape[0],), dtype=torch.int64)


def _run_sample(fn: Callable[..., None], logits: Tensor, *rows: Tensor) -> Tensor:
    out = _fake_sample(logits)
    fn(logits, *rows, out)
    return out


def _run_plain(fn: Callable[..., None], *args: Any, **kwargs: Any) -> None:
    fn(*args, **kwargs)


OPERATORS: tuple[Operator, ...] = (
    Operator(
        "paged_attention",
        f"({_CACHES}, Tensor query_start_loc, *, {_OPTIONS}) -> Tensor",
        checks.paged_attention,
        _fake_attention,
        _run_attention,
    ),
    Operator(
        "paged_attention.out",
        f"({_CACHES}, Tensor query_start_loc, *, {_OPTIONS}, Tensor(a!) out) -> ()",
        checks.paged_attention,
        _fake_nothing,
        _run_attention_out,
    ),
    Operator(
        "paged_attention_with_lse",
        f"({_CACHES}, Tensor query_start_loc, *, {_OPTIONS}) -> (Tensor out, Tensor lse)",
        checks.paged_attention,
        _fake_attention_with_lse,
        _run_attention_with_lse,
    ),
    Operator(
        "merge_attention_states",
        "(Tensor out_a, Tensor lse_a, Tensor out_b, Tensor lse_b) -> (Tensor out, Tensor lse)",
        checks.merge_attention_states,
        _fake_merge,
        _run_merge,
    ),
    Operator(
        "write_kv_cache",
        "(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor slot_mapping, *, "
        f"{_SCALES}, Tensor(c!)? k_scale_cache=None, Tensor(d!)? v_scale_cache=None) -> ()",
        checks.write_kv_cache,
        _fake_nothing,
        _run_write,
    ),
    Operator(
        "gather_kv_cache",
        "(Tensor key_cache, Tensor value_cache, Tensor block_tables, Tensor seq_lens, SymInt max_tokens, *, "
        f"{_SCALES}) -> (Tensor key, Tensor value)",
        checks.gather_kv_cache,
        _fake_gather,
        _run_gather,
    ),
    Operator(
        "copy_blocks",
        "(Tensor(a!)[] caches, Tensor block_mapping) -> ()",
        checks.copy_blocks,
        _fake_nothing,
        _run_plain,
    ),
    Operator(
        "swap_blocks",
        "(Tensor src, Tensor(a!) dst, Tensor block_mapping, *, bool non_blocking=False) -> ()",
        checks.swap_blocks,
        _fake_nothing,
        _run_plain,
    ),
    Operator(
        "sample_tokens",
        "(Tensor logits, Tensor temperature, Tensor top_k, Tensor top_p, Tensor min_p, Tensor seeds, "
        "Tensor positions) -> Tensor",
        checks.sample_tokens,
        _fake_sample,
        _run_sample,
    ),
    *(
        Operator(name, schema, module.CHECKS[name], module.FAKES[name], module.RUNNERS[name])
        for module in (convolution, linear, logits, pointwise, states)
        for name, schema in module.SCHEMAS.items()
    ),
)
NAMES: tuple[str, ...] = tuple(dict.fromkeys(operator.name for operator in OPERATORS))
# What the CPU's matrix products need, and what plain PyTorch does on a GPU, as it is or compiled.
WITHOUT_TRITON = (*linear.SCHEMAS, *logits.SCHEMAS, *pointwise.SCHEMAS)

# --- The registry's state ---------------------------------------------------------------------------------

_backends: dict[tuple[str, str], list[Backend]] = {}
_wanted: dict[str | None, str] = {}  # the backend that was asked for, by operator; None: of all others
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
            packet = operator.packet(namespace)
            under_autograd = autograd.kernel(operator.overload, packet, operator.check)
            library.impl(operator.overload, under_autograd, "Autograd", with_keyset=True)
            library.impl(operator.overload, batching.kernel(operator.overload, operator.name), batching.DISPATCH_KEY)
            for key in autocast.DISPATCH_KEYS:
                library.impl(operator.overload, autocast.kernel(operator.name, packet), key)
        _describe(namespace)
    autograd.define_refusal(_definitions[0])
    flops.register(NAMESPACE)


def _describe(namespace: str) -> None:
    """Docstrings: of each overload, and of an operator those of its overloads."""
    texts: dict[str, list[str]] = {}
    for operator in OPERATORS:
        text = docs.of_overload(operator.overload, operator.schema, batching.instead(operator.name))
        operator.packet(namespace).__doc__ = text
        texts.setdefault(operator.overload.split(".")[0], []).append(text)
    for name, overloads in texts.items():
        getattr(getattr(torch.ops, namespace), name).__doc__ = "\n\n".join(overloads)


def _checked_fake(operator: Operator) -> Callable[..., Any]:
    def fake(*args: Any, **kwargs: Any) -> Any:
        operator.check(operator.overload, *args, **kwargs)
        named = _named_arguments(operator, args, kwargs)
        inductor.prepare(named[argument.name] for argument in operator.arguments if argument.is_write)
        return operator.fake(*args, **kwargs)

    return fake


def _device(args: tuple[Any, ...]) -> torch.device:
    """Where a call runs: with tensors on several devices (swap), the one that is not the CPU."""
    tensors = [t for a in args for t in (a if isinstance(a, (list, tuple)) else [a]) if isinstance(t, Tensor)]
    return next((t.device for t in tensors if t.device.type != "cpu"), _CPU)


def _select(operator: Operator, device: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Backend:
    candidates = _backends.get((operator.name, device), [])
    if (wanted := _asked_for(operator.name)) is not None:
        named = [backend for backend in candidates if backend.name == wanted]
        if not named:
            names = ", ".join(backend.name for backend in candidates) or "none"
            raise ValueError(f"{operator.name}: no backend {wanted!r} on {device}; there are: {names}")
        candidates = named
    arguments = _named_arguments(operator, args, kwargs)
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
    """The backend that an operator was told to use; None: the first that can."""
    return _wanted.get(name, _wanted.get(None))


def _named_arguments(operator: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    names = [argument.name for argument in operator.arguments]
    defaults = {a.name: a.default_value for a in operator.arguments if a.has_default_value()}
    return {**defaults, **dict(zip(names, args, strict=False)), **kwargs}


def _python_kernel(operator: Operator) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        device = _device(args)
        backend = _select(operator, device.type, args, kwargs)
        if backend.fn is None:
            return operator.packet(NATIVE_NAMESPACE)(*args, **kwargs)
        operator.check(operator.overload, *args, **kwargs)
        if device.type == "cpu" or (checks.ENABLED and not value_checks.is_capturing(device)):
            value_checks.check(operator.name, operator.overload, _named_arguments(operator, args, kwargs))
        with devices.current(device):
            return operator.run(backend.fn, *args, **kwargs)

    return kernel


def _refresh(device: str) -> None:
    """Puts the Python selector on a device's dispatch key, or takes it off when C++ can be called directly."""
    if previous := _overrides.pop(device, None):
        previous._destroy()
    needed = [op for op in OPERATORS if not _is_direct(op.name, device)]
    if not needed:
        return
    library = Library(NAMESPACE, "IMPL")
    with warnings.catch_warnings():
        # The dispatcher warns that a kernel is replaced; replacing it is what was asked for.
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
    """Adds an implementation of one operator; from then on calls that it supports go to it.

    Args:
        op: one of `library.NAMES`; the overloads of an operator share their backends.
        device: a `torch.device` type, such as "cpu" or "cuda".
        name: what `TORCHPAGED_BACKEND` and `set_backend` call it; registering a name again replaces it.
        fn: a function with the signature of the same name in `torchpaged.ops.reference`: it writes its
            results into the tensors it is given and returns None.
        supports: called with the operator's arguments by name; returns None when `fn` can do the call, else
            a few words for what it cannot ("a tree mask"). By default everything is supported.
        summary: one line for `torchpaged info --ops`.

    Raises:
        ValueError: for an operator that does not exist or an empty name.
        TypeError: `fn` is no function.
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
    """`fn`, and an error where it returns a result of its own: what it was given to write to would be of nobody."""

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
    """Takes back what `register_backend` added; a name that is not there is a ValueError."""
    rows = _backends.get((op, device), [])
    if all(row.name != name for row in rows):
        raise ValueError(f"unregister_backend: no backend {name!r} for {op} on {device}")
    rows[:] = [row for row in rows if row.name != name]
    _refresh(device)


def set_backend(name: str | None, *, op: str | None = None) -> None:
    """Asks for a backend by name, of one operator or of all; None restores the default order.

    An operator without such a backend, or a call that it does not support, raises: there is no fallback
    from a backend that was asked for. `TORCHPAGED_BACKEND` does the same from outside, for some operators too:
    "reference,paged_attention=mine". A name that nobody has registered may be that of an installed package's entry
    point (`ops/plugins.py`), which is loaded then.

    Args:
        op: one of `library.NAMES`, whose backend goes before that of all; None: of all, so that
            `set_backend(None)` takes back whatever was asked for.

    Raises:
        ValueError: a name or an operator that does not exist, or a backend that the operator does not have.
        ImportError: an entry point that fails.
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
    """The backends of an operator on a device type, in the order in which they are asked."""
    return tuple(_backends.get((op, device), ()))


def active_backend(op: str, device: str) -> str | None:
    """The name of the backend that a plain call of `op` on `device` is offered to first."""
    candidates = [b.name for b in backends(op, device) if _asked_for(op) in (None, b.name)]
    return candidates[0] if candidates else None


def describe() -> list[dict[str, str]]:
    """The table as rows of text: operator, device, backend (a * marks the default), what it supports."""
    rows = []
    for (name, device), candidates in sorted(_backends.items()):
        for backend in candidates:
            active = "*" if backend.name == active_backend(name, device) else ""
            rows.append({"op": name, "device": device, "backend": backend.name + active, "supports": backend.summary})
    return rows


# --- What ships ---------------------------------------------------------------------------------------------


def _register_shipped() -> None:
    everything = "all arguments"
    for name in NAMES:
        fn = getattr(reference, name)
        row = Backend("reference", fn, _supports_everything, everything + ", plain PyTorch")
        for device in ("cpu", "cuda"):
            _backends[name, device] = [row]
    _wanted.update(_from_environment())
    if _wanted.get(None) != "reference" and cpu.load():
        for name in NAMES:
            cpp = Backend("cpp", None, _supports_everything, f"all arguments, C++ ({cpu.isa()})")
            _backends[name, "cpu"].insert(0, cpp)
    if importlib.util.find_spec("triton") is not None:
        for name in (name for name in NAMES if name not in WITHOUT_TRITON):
            row = Backend("triton", _lazy_triton(name), _supports_everything, "all arguments, sm_80 and later")
            _backends[name, "cuda"].insert(0, row)
    for name, (_, summary) in foreign.BACKENDS.items():  # last: behind those that can do everything
        row = Backend(name, foreign.launcher(name), foreign.supports(name), summary)
        _backends["paged_attention", "cuda"].append(row)
    for device in ("cpu", "cuda"):
        _refresh(device)


def _from_environment() -> dict[str | None, str]:
    """TORCHPAGED_BACKEND: a name for all operators, operator=name for one, or several with commas between them."""
    words = os.environ.get("TORCHPAGED_BACKEND", "").split(",")
    asked = {op or None: name for op, _, name in (word.strip().rpartition("=") for word in words if word.strip())}
    for op in asked.keys() - {None, *NAMES}:
        raise ValueError(f"TORCHPAGED_BACKEND names the operator {op!r}, expected one of {', '.join(NAMES)}")
    return asked


def load_asked_for() -> None:
    """Loads the entry points of backends that TORCHPAGED_BACKEND asks for. Others may still be registered.

    Behind all else in the import of `torchpaged.ops`, which they import themselves.
    """
    for name in set(_wanted.values()) - {row.name for rows in _backends.values() for row in rows}:
        plugins.load(name)


def _lazy_triton(name: str) -> Callable[..., None]:
    """Triton takes a second to import and needs a GPU to run: the launchers load at the first call."""

    def launch(*args: Any, **kwargs: Any) -> None:
        from torchpaged.ops import triton

        triton.LAUNCHERS[name](*args, **kwargs)

    return launch


_define()
_register_shipped()
