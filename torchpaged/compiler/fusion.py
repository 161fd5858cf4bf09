"""Codegen stage: finds packed products that run in one kernel with their neighbours (csrc/cpu/fused_linear.h).

Each thread computes the norm before a product for itself, and gated activations and rotations behind it for its own
outputs. The results have the same bits, and intermediate values stay in the core's cache.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Graph
from torchpaged.ops import active_backend

aten = torch.ops.aten

SPLITS = (aten.split_with_sizes.default, aten.split.Tensor, aten.chunk.default, aten.unbind.int)
TRANSPOSES = (aten.t.default, aten.numpy_T.default, aten.mT.default, aten.transpose.int, aten.permute.default)
RESHAPES = (aten.reshape.default, aten.view.default, aten._unsafe_view.default, aten.flatten.using_ints)
_VIEWS = (*SPLITS, *TRANSPOSES, *RESHAPES, aten.slice.Tensor, aten.select.int, aten.unsqueeze.default, aten.squeeze.dim)
_FUSED = ("packed_linear", "rms_norm", "add_rms_norm", "silu_and_mul", "gelu_tanh_and_mul", "rotary_embedding")
_PANEL = 32  # outputs


@dataclass(frozen=True, slots=True)
class Fusion:
    """A fused call that replaces several operators.

    Args:
        place: the last of them; the call takes its place.
        product: a `packed_linear`.
        norm: the `rms_norm` or `add_rms_norm` that computes its input, if any.
        gate: the gated activation of its outputs, if any.
        rotation: the `rotary_embedding` of the heads that its outputs begin with, if any.
        views: views of the outputs that other nodes use.
        absorbed: nodes that need no code of their own.
        heads: (query heads, key heads, head size); zeros without a rotation.
    """

    place: fx.Node
    product: fx.Node
    norm: fx.Node | None
    gate: fx.Node | None
    rotation: fx.Node | None
    views: tuple[fx.Node, ...]
    absorbed: frozenset[fx.Node]
    heads: tuple[int, int, int]

    @property
    def residual_sums(self) -> list[fx.Node] | None:
        """The `getitem` nodes of the sum of an `add_rms_norm`; None without such a norm."""
        if self.norm is None or self.norm.target is _op("rms_norm"):
            return None
        return [user for user in self.norm.users if user.args[1] == 0]

    def operands(self) -> list[tuple[str, Any]]:
        """Return the call's (schema type, value) arguments in the kernel's order."""
        linear = _arguments(self.product)
        norm = {} if self.norm is None else _arguments(self.norm)
        rotation = {} if self.rotation is None else _arguments(self.rotation)
        activations = (_op("silu_and_mul"), _op("gelu_tanh_and_mul"))
        return [
            ("Tensor", norm.get("x", linear["input"])),
            ("Optional[Tensor]", norm.get("residual")),
            ("Optional[Tensor]", norm.get("weight")),
            ("float", norm.get("eps", 0.0)),
            ("Tensor", linear["packed_weight"]),
            ("int", linear["out_features"]),
            *(("Optional[Tensor]", linear[name]) for name in ("bias", "weight_scale")),
            ("int", linear["format"]),
            ("int", -1 if self.gate is None else activations.index(self.gate.target)),
            *(("Optional[Tensor]", rotation.get(name)) for name in ("cos", "sin", "query_weight", "key_weight")),
            ("float", rotation.get("eps", 0.0)),
            *(("int", number) for number in self.heads),
        ]


def _arguments(node: fx.Node) -> dict[str, Any]:
    """Return a node's arguments, defaults included, by their names in the schema."""
    target: Any = node.target
    arguments = {}
    for i, argument in enumerate(target._schema.arguments):
        arguments[argument.name] = (
            node.args[i] if i < len(node.args) else node.kwargs.get(argument.name, argument.default_value)
        )
    return arguments


def find_fusions(traced: Graph) -> dict[fx.Node, Fusion]:
    """Return all fusions by place; none if another backend than C++ runs one of the operators."""
    if any(active_backend(name, "cpu") != "cpp" for name in _FUSED):
        return {}
    places = {node: i for i, node in enumerate(traced.graph.nodes)}
    found = (_fusion(traced, node, places) for node in places if node.target is _op("packed_linear"))
    return {each.place: each for each in found if each is not None}


def _op(name: str) -> Any:
    return getattr(torch.ops.torchpaged, name).default


def _fusion(traced: Graph, product: fx.Node, places: dict[fx.Node, int]) -> Fusion | None:
    if not all(traced.is_never_written(each) for each in product.all_input_nodes):
        return None
    views, users = _views_and_users(product, places)
    gate = _gate(traced, product, users)
    rotation = None if gate else _rotation(traced, product, users, places)
    place = gate or rotation or product
    norm = _norm(traced, product, places[place], places)
    if place is product and norm is None:
        return None
    # Views behind the place stay there: one may copy data that is written before, or use a size that is made later.
    views = [view for view in views if places[view] < places[place]]
    absorbed = {product, *views} - {place}
    if norm is not None:
        absorbed |= {norm, *norm.users} - {product}
    needed = tuple(_needed(views, place)) if rotation else ()
    heads = (0, 0, 0)
    if rotation is not None:
        query, key = (traced.values[each] for each in rotation.args[:2])
        heads = (query.shape[1], key.shape[1], query.shape[2])
    return Fusion(place, product, norm, gate, rotation, needed, frozenset(absorbed), heads)


def _views_and_users(product: fx.Node, places: dict[fx.Node, int]) -> tuple[list[fx.Node], set[fx.Node]]:
    """Return the views of a node's result in order, and the other users of it or of a view."""
    views, users, left = list[fx.Node](), set[fx.Node](), [product]
    while left:
        for user in left.pop(0).users:
            if user.target in _VIEWS or (user.target is operator.getitem and user.args[0] in views):
                views.append(user)
                left.append(user)
            else:
                users.add(user)
    return sorted(views, key=places.__getitem__), users


def _needed(views: Sequence[fx.Node], place: fx.Node) -> Iterator[fx.Node]:
    """Return the views that nodes other than `place` use."""
    dropped = {place}
    for view in reversed(views):
        if set(view.users) <= dropped:
            dropped.add(view)
    return (view for view in views if view not in dropped)


def _is_columns(
    traced: Graph, node: Any, source: fx.Node, at: int, shape: Sequence[int], strides: Sequence[int]
) -> bool:
    """Return True if a node's value is a view of the source's columns from `at` on, with this shape and strides."""
    value, whole = traced.values.get(node), traced.values.get(source)
    if not isinstance(value, Tensor) or not isinstance(whole, Tensor) or not whole.is_contiguous():
        return False
    if value.untyped_storage().data_ptr() != whole.untyped_storage().data_ptr():
        return False
    place = value.storage_offset() - whole.storage_offset()
    return tuple(value.shape) == tuple(shape) and value.stride() == tuple(strides) and place == at


def _gate(traced: Graph, product: fx.Node, users: Collection[fx.Node]) -> fx.Node | None:
    """Return the gated activation of the product's halves, if it is their only user."""
    if len(users) != 1:
        return None
    (gate,) = users
    value = traced.values.get(product)
    if gate.target not in (_op("silu_and_mul"), _op("gelu_tanh_and_mul")) or not isinstance(value, Tensor):
        return None
    half, odd = divmod(value.shape[-1], 2)
    if odd or half % _PANEL:
        return None
    shape = (*value.shape[:-1], half)
    halves = (_is_columns(traced, gate.args[i], product, i * half, shape, value.stride()) for i in (0, 1))
    return gate if all(halves) else None


def _rotation(
    traced: Graph, product: fx.Node, users: Collection[fx.Node], places: dict[fx.Node, int]
) -> fx.Node | None:
    """Return the rotation of the query and key heads that the product begins with, if it is the first user."""
    rotations = [user for user in users if user.target is _op("rotary_embedding")]
    if len(rotations) != 1 or any(places[user] < places[rotations[0]] for user in users):
        return None
    (rotation,) = rotations
    args: Any = rotation.args
    query, key, value = (traced.values.get(each) for each in (*args[:2], product))
    if not (isinstance(query, Tensor) and isinstance(key, Tensor) and isinstance(value, Tensor)):
        return None
    if query.dim() != 3 or key.dim() != 3 or query.shape[2] % _PANEL:
        return None
    width, size = value.shape[-1], query.shape[2]
    if query.shape[0] * width != value.numel():
        return None
    for i, (heads, at) in enumerate(((query, 0), (key, query.shape[1] * size))):
        shape = (query.shape[0], heads.shape[1], size)
        if not _is_columns(traced, args[i], product, at, shape, (width, size, 1)):
            return None
    return rotation


def _norm(traced: Graph, product: fx.Node, place: int, places: dict[fx.Node, int]) -> fx.Node | None:
    """Return the norm of the product's input, if the product is its only user and its sum is not used up to `place`."""
    source: Any = product.args[0]
    if set(source.users) != {product}:
        return None
    norm = source
    if source.target is operator.getitem and source.args[1] == 1 and source.args[0].target is _op("add_rms_norm"):
        norm = source.args[0]
        early = [user for each in norm.users if each is not source for user in each.users if places[user] <= place]
        if early or any(each.target is not operator.getitem for each in norm.users):
            return None
    elif source.target is not _op("rms_norm"):
        return None
    return norm if all(traced.is_never_written(each) for each in norm.all_input_nodes) else None
