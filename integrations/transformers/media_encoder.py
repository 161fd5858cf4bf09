"""Turns images, sounds and videos into embeddings by the model's own towers: transformers' `get_image_features` etc.

The towers are not traced or quantised: they run as transformers runs them, one item at a time, so that features depend
on the item alone. On a CPU their products in bfloat16 are computed from packed weights (`PackedProducts`).
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.streaming_load import BuildsWithoutDynamo, without_weights
from torchpaged.integrations.families import MediaFamily, media_family, seeing_config
from torchpaged.integrations.transformers.attention_interface import evaluating
from torchpaged.integrations.transformers.deepstack import joined
from torchpaged.integrations.transformers.media_attention import key_modules, keys_and_values
from torchpaged.integrations.transformers.split_forward import base_of, classifier_of
from torchpaged.media.items import MediaItem
from torchpaged.ops import active_backend, cpu
from torchpaged.weights.packed_linear import PackedLinear


class TransformersMediaEncoder:
    """The towers and projectors of a transformers model, as a `MediaEncoder`.

    Args:
        model: the whole model.
        family: of its model type.

    Attributes:
        modalities: `MediaEncoder.modalities`.
        products: of the towers.
    """

    def __init__(self, model: PreTrainedModel, family: MediaFamily) -> None:
        self.modalities = family.modalities
        name = base_of(model)
        self._whole, self._deepstack, self._attends_to_tiles = model, family.deepstack, family.attends_to_tiles
        self._embeds_codes = family.embeds_codes
        self._base: Any = model if name is None else getattr(model, name)
        self.products = PackedProducts(_of_towers(model))
        texts = _text_modules(model)
        self._between = Float32Tensors([each for each in model.modules() if id(each) not in texts])
        self._functions = {each: self._function(each, family.by_forward) for each in sorted(self.modalities)}

    def _function(self, modality: str, by_forward: bool) -> tuple[Any, frozenset[str]]:
        """Return the function that computes the features of a modality, and the names of its arguments."""
        function = None if by_forward else getattr(self._base, f"get_{modality}_features", None)
        if function is None and modality == "video":  # its frames are images
            function = self._base.get_image_features
        names = inspect.signature(self._base.forward if function is None else function).parameters
        return function, frozenset(names)

    @torch.inference_mode()
    def encode(self, item: MediaItem) -> Tensor:
        """Return the features of one item: `MediaEncoder.encode`."""
        function, names = self._functions[item.modality]
        device, dtype = self._whole.device, self._whole.dtype
        is_wide = dtype is torch.bfloat16 and device.type == "cpu" and self._between.is_wide
        input_dtype = torch.float32 if is_wide else dtype
        given = item.inputs
        if _FRAMES in given and _FRAMES not in names:
            given = {"pixel_values": given[_FRAMES].flatten(0, 1)}
        inputs = {
            name: value.to(device, input_dtype if value.is_floating_point() else None)
            for name, value in given.items()
            if name in names
        }
        if "input_ids" in names and function is not None:  # MusicFlamingo counts the placeholders of a sound
            token = feature_id(seeing_config(self._whole.config), item.modality)
            inputs["input_ids"] = torch.full((1, item.num_features), token, device=device)
        with evaluating(list(self._whole.modules())), self.products.in_use() as packed, self._between.in_use(packed):
            if self._attends_to_tiles:
                features = self._keys(inputs)
            elif function is None:
                features = self._merged(item, inputs)
            else:
                found = function(**inputs, return_dict=True)
                features = _rows(found.pooler_output)
                if item.modality == "audio" and (is_there := found.get("attention_mask")) is not None:
                    features = features[is_there.flatten()]  # Gemma 4 pads sounds
                if self._deepstack:
                    features = joined(features, [_rows(each) for each in found.deepstack_features])
        if len(features) != item.num_features:
            raise ModelError(
                f"{type(self._whole).__name__} computes {len(features)} features of an {item.modality}, and the "
                f"processor has made {item.num_features} placeholders for it: do its settings fit the model?"
            )
        return features.to(dtype)

    def _keys(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return the keys and values of images that follow each other, without the tiles that pad them."""
        found = []
        for number in range(len(inputs["pixel_values"])):  # one at a time: a batch may have other bits
            own = {name: value[number : number + 1] for name, value in inputs.items()}
            states = self._base.multi_modal_projector(self._base.vision_model(**own).last_hidden_state)
            states = states[own["aspect_ratio_mask"].bool()].flatten(0, 1)
            found.append(keys_and_values(self._whole, states))
        return torch.cat(found)

    def forget_weights(self) -> None:
        """Note that the model's weights have changed."""
        self.products.forget()
        self._between.forget()

    def towers(self) -> tuple[str, dict[str, Tensor]]:
        """Return the name of the model's class in transformers, and all tensors that it makes features of, by name.

        These are the ones outside its text part, and its embeddings if features are made of those.

        Raises:
            ModelError: the class is not one of transformers.
        """
        kind = type(self._whole)
        if getattr(transformers, kind.__name__, None) is not kind:
            raise ModelError(f"its towers are of a class {kind.__name__} that is not one of transformers")
        with self._between.lock:
            found = tower_tensors(self._whole)
            if self._embeds_codes:
                embeddings = self._whole.get_input_embeddings().weight
                found |= {name: each for name, each in self._whole.named_parameters() if each is embeddings}
            return kind.__name__, found

    def _merged(self, item: MediaItem, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return what a model without such a function passes to its text part at an item's placeholders."""
        token = feature_id(self._whole.config, item.modality)
        tokens = torch.tensor([[token] * item.num_features + [0]], device=self._whole.device)

        def stop(_: Any, __: Any, options: Mapping[str, Any]) -> None:
            raise _Reached(options["inputs_embeds"])

        handle = self._base.language_model.register_forward_pre_hook(stop, with_kwargs=True)
        try:
            self._base(input_ids=tokens, use_cache=False, **inputs)
        except _Reached as reached:
            return reached.embeds[0, :-1]
        finally:
            handle.remove()
        raise ModelError(f"{type(self._whole).__name__} does not pass embeddings to its text part")


# The processors' name of a video's frames.
_FRAMES = "pixel_values_videos"
# A linear layer, or a convolution of patches that do not overlap, which is a product too.
_Layer = nn.Linear | nn.Conv2d | nn.Conv3d


class PackedProducts:
    """Layers whose products are computed from packed weights inside a context.

    The modules keep their own weights, which a caller may train or replace: a layer is packed when it is first needed,
    and again when its weight is another tensor or was written to.

    Args:
        layers: the layers. Those that are not bfloat16 on a CPU with kernels are left alone.
    """

    def __init__(self, layers: Sequence[_Layer]) -> None:
        self._layers = layers
        self._packed: dict[_Layer, tuple[object, PackedLinear]] = {}

    def forget(self) -> None:
        """Pack all layers again when they are needed: their weights have changed."""
        self._packed.clear()

    @contextmanager
    def in_use(self) -> Generator[Sequence[nn.Module]]:
        """Compute the layers' products from packed weights inside the context; yields the layers that are packed."""
        replaced: list[nn.Module] = []
        try:
            for layer in self._layers:
                if _can_be_packed(layer):
                    product = partial(_product, self._of(layer))
                    is_linear = isinstance(layer, nn.Linear)
                    layer.__dict__["forward"] = product if is_linear else partial(_of_patches, layer, product)
                    replaced.append(layer)
            yield replaced
        finally:
            for each in replaced:
                del each.__dict__["forward"]

    def weights(self) -> list[Tensor | None]:
        """Return the packed weight of each layer; None for one that is not packed."""
        # A layer that another thread computes with has a forward of its own meanwhile.
        is_packed = [each in self._packed or _can_be_packed(each) for each in self._layers]
        pairs = zip(self._layers, is_packed, strict=True)
        return [self._of(each).packed_weight if own else None for each, own in pairs]

    def take(self, weights: Sequence[Tensor | None]) -> None:
        """Take what `weights` returned in another process, instead of packing the same layers again."""
        for layer, packed in zip(self._layers, weights, strict=True):
            if packed is not None and _can_be_packed(layer):
                shape = layer.weight.flatten(1).shape
                own = PackedLinear.from_floats(packed, shape, _packed_dtype(), _bias(layer))
                self._packed[layer] = _state(layer), own

    def _of(self, layer: _Layer) -> PackedLinear:
        known, packed = self._packed.get(layer, (None, None))
        if packed is None or known != _state(layer):
            packed = PackedLinear(layer.weight.detach().flatten(1).to(_packed_dtype()), _bias(layer))
            self._packed[layer] = _state(layer), packed
        return packed


class Float32Tensors:
    """Tensors of modules that are float32 inside a context where products are (`_packed_dtype`).

    Then all between the products is float32 too: without conversions and attention in bfloat16 a tower takes 7 % less
    time, and its features are nearer to those of a model in float32.

    Args:
        modules: of towers.

    Attributes:
        lock: held inside the context.
    """

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        self._modules = modules
        self._copies: dict[tuple[int, str], tuple[Tensor, object, Tensor]] = {}
        self.lock = threading.Lock()

    def forget(self) -> None:
        """Convert all tensors again when they are needed: the weights have changed."""
        self._copies.clear()

    @property
    def is_wide(self) -> bool:
        """True if tensors in bfloat16 are float32 inside the context."""
        return _has_kernels() and _packed_dtype() is torch.float32

    @contextmanager
    def in_use(self, packed: Sequence[nn.Module]) -> Generator[None]:
        """Replace the tensors inside the context, except those of packed layers."""
        replaced: list[tuple[Any, str, Tensor]] = []
        others = set(self._modules).difference(packed) if self.is_wide else ()
        with self.lock:
            try:
                for module in others:
                    tables: list[Any] = [module._parameters, module._buffers]
                    for table in tables:
                        for name, tensor in table.items():
                            if tensor is not None and tensor.dtype is torch.bfloat16 and tensor.device.type == "cpu":
                                replaced.append((table, name, tensor))
                                table[name] = self._of(module, name, tensor)
                yield
            finally:
                for table, name, tensor in replaced:
                    table[name] = tensor

    def _of(self, module: nn.Module, name: str, tensor: Tensor) -> Tensor:
        known, state, copy = self._copies.get((id(module), name), (None, None, None))
        if copy is None or known is not tensor or state != _state_of(tensor):
            copy = tensor.detach().float()
            self._copies[id(module), name] = tensor, _state_of(tensor), copy
        return copy


def _state(layer: _Layer) -> tuple[tuple[int, int | None], ...]:
    """Return what changes when a layer's weight or bias is replaced or written to."""
    tensors = [layer.weight] if layer.bias is None else [layer.weight, layer.bias]
    return tuple(map(_state_of, tensors))


def _state_of(tensor: Tensor) -> tuple[int, int | None]:
    """Return what changes when a tensor is replaced or written to."""
    return tensor.data_ptr(), None if tensor.is_inference() else tensor._version


def _packed_dtype() -> torch.dtype:
    """Return the dtype of packed weights, whose products have bfloat16's inputs and results.

    Without instructions for bfloat16 a product of many rows takes 1.3 times as long as one in float32, which has the
    same values and twice the memory (docs/performance.md, "Images").
    """
    return torch.float32 if cpu.isa() == "avx2" else torch.bfloat16


def _bias(layer: _Layer) -> Tensor | None:
    return None if layer.bias is None else layer.bias.detach().to(_packed_dtype())


def _product(packed: PackedLinear, given: Tensor) -> Tensor:
    """Return a product in the dtype of its input; in float32 if the packed weight is."""
    given = given if given.stride(-1) == 1 else given.contiguous()  # HunYuan-VL's are transposed
    out: Tensor = packed(given.to(packed.packed_weight.dtype))
    return out if out.dtype is torch.float32 else out.to(given.dtype)


def _of_patches(layer: _Layer, product: Callable[[Tensor], Tensor], given: Tensor) -> Tensor:
    """Return a convolution [num, out_channels, *patches] of patches that do not overlap, [num, channels, *pixels].

    As a product it has the rate of one; torch's convolution in bfloat16 has a twentieth of it without instructions for
    that.
    """
    assert isinstance(layer, (nn.Conv2d, nn.Conv3d))
    axes, kernel = len(layer.kernel_size), layer.kernel_size
    counts = [pixels // size for pixels, size in zip(given.shape[2:], kernel, strict=True)]
    for axis, (count, size) in enumerate(zip(counts, kernel, strict=True)):
        given = given.narrow(2 + axis, 0, count * size)
    sizes = [each for pair in zip(counts, kernel, strict=True) for each in pair]
    order = [0, *range(2, 2 + 2 * axes, 2), 1, *range(3, 3 + 2 * axes, 2)]
    patches = given.reshape(*given.shape[:2], *sizes).permute(order)
    out = product(patches.reshape(given.shape[0], -1, layer.weight[0].numel()))
    return out.transpose(1, 2).reshape(given.shape[0], -1, *counts)


def of_towers(
    class_name: str,
    config: PretrainedConfig,
    dtype: torch.dtype,
    tensors: Mapping[str, Tensor],
    packed: Sequence[Tensor | None],
) -> TransformersMediaEncoder:
    """Make the encoder of a model whose text part is elsewhere.

    Args:
        class_name, tensors: as `TransformersMediaEncoder.towers` returned them.
        config: of the whole model; its dtype is the checkpoint's.
        dtype: of the model, which a tower may ask for its features'.
        packed: as `PackedProducts.weights` returned them.
    """
    kind = getattr(transformers, class_name)
    with without_weights(), BuildsWithoutDynamo():
        model: PreTrainedModel = kind._from_config(config, dtype=dtype)
    for name, own in (*model.named_parameters(), *model.named_buffers()):
        module_name, _, last = name.rpartition(".")
        module = model.get_submodule(module_name)
        table = module._parameters if last in module._parameters else module._buffers
        if name in tensors:
            table[last] = tensors[name]
        elif own.is_meta:  # of the text part, which is not called: zeros of its shape that take no memory
            table[last] = nn.Parameter(torch.zeros((), dtype=own.dtype).expand(own.shape), requires_grad=False)
    family = media_family(config)
    assert family is not None
    encoder = TransformersMediaEncoder(model.eval(), family)
    encoder.products.take(packed)
    return encoder


def tower_tensors(model: PreTrainedModel) -> dict[str, Tensor]:
    """Return the parameters and buffers that do not belong to a model's text part or head, by name."""
    texts = _text_modules(model)
    return {
        f"{prefix}.{name}" if prefix else name: tensor
        for prefix, module in model.named_modules()
        if id(module) not in texts
        for name, tensor in (*module._parameters.items(), *module._buffers.items())
        if tensor is not None
    }


def _of_towers(model: PreTrainedModel) -> list[_Layer]:
    """Return the layers of products that do not belong to a model's text part or head."""
    texts, kinds = _text_modules(model), (nn.Linear, nn.Conv2d, nn.Conv3d)
    texts -= {id(each) for each in key_modules(model)}
    return [each for each in model.modules() if type(each) in kinds and id(each) not in texts]


def _text_modules(model: PreTrainedModel) -> frozenset[int]:
    """Return the ids of the modules of a model's text part and head."""
    parts = (model.get_decoder(), model.get_input_embeddings(), model.get_output_embeddings(), classifier_of(model))
    found = {id(each) for part in parts if part is not None for each in part.modules()}
    inner = getattr(model.get_decoder(), "vqmodel", None)  # Chameleon's tower is in its text part
    return frozenset(found if inner is None else found - {id(each) for each in inner.modules()})


def _can_be_packed(layer: _Layer) -> bool:
    weight = layer.weight
    is_plain = type(weight) is nn.Parameter and "forward" not in layer.__dict__
    if not isinstance(layer, nn.Linear):
        apart = layer.kernel_size == layer.stride and layer.groups == 1 and set(layer.dilation) == {1}
        is_plain = is_plain and apart and (layer.padding == "valid" or set(layer.padding) == {0})
    return is_plain and weight.dtype is torch.bfloat16 and weight.device.type == "cpu" and _has_kernels()


def _has_kernels() -> bool:
    return active_backend("packed_linear", "cpu") == "cpp"


class _Reached(Exception):
    """Ends a forward at the text part.

    Args:
        embeds: what the text part is given.
    """

    def __init__(self, embeds: Tensor) -> None:
        super().__init__()
        self.embeds = embeds


def feature_id(config: PretrainedConfig, modality: str) -> int:
    """Return the token in whose places a model expects features."""
    names = (f"{modality}_token_id", f"{modality}_token_index")
    found = next((value for name in names if (value := getattr(config, name, None)) is not None), None)
    if found is None and modality == "image":  # Chameleon
        found = (getattr(config, "vocabulary_map", None) or {}).get("<image>")
    if found is None:
        raise ModelError(f"a config of type {config.model_type!r} has no {names[0]}, the placeholder of its features")
    return int(found)


def _rows(features: Tensor | Sequence[Tensor]) -> Tensor:
    """Return features as rows, in order: models give one tensor of any shape, or one tensor an image or patch."""
    if isinstance(features, Tensor):
        return features.reshape(-1, features.shape[-1])
    return torch.cat([_rows(each) for each in features])
