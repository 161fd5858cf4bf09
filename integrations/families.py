"""A table of transformers' model types: their kinds of attention if they are supported, else why they are not.

It needs neither torch nor a model. tests/integrations/test_families.py compares each supported model type with
transformers' own output.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PretrainedConfig

# The table has every decoder of this version of transformers.
VERSION = "5.23.0"
# Features that the layers of a model type's checkpoints use.
KINDS = (
    "bidirectional",
    "full",
    "window",
    "chunked",
    "latent",
    "cross",
    "conv",
    "recurrent",
    "sparse",
    "ALiBi",
    "bias",
    "sinks",
    "softcap",
)

# Model types by kinds of attention.
_SUPPORTED = {
    "full": """
        apertus arcee aria_text biogpt bitnet codegen cohere dots1 ernie4_5 ernie4_5_moe
        flex_olmo gemma glm glm4 glm4_moe gpt2 gpt_bigcode gpt_neox gpt_neox_japanese gptj granite granitemoe
        granitemoeshared helium hunyuan_v1_dense hunyuan_v1_moe hy_v3 hyperclovax internlm3 iquestcoder jais2 jetmoe
        llama minimax_m2 nanochat nemotron olmo olmo2 olmoe opt persimmon phi seed_oss solar_open stablelm xglm
    """,
    "full window": """
        afmoe beam cohere2 cohere2_moe cwm exaone4 exaone_moe gemma3_text gemma3n_text gemma4_text
        gemma4_unified_text gpt_neo kolibri1 laguna mellum ministral ministral3 mistral mixtral modernbert-decoder
        olmo3 phi3 phimoe qwen2 qwen2_moe qwen3 qwen3_moe smollm3 starcoder2
    """,
    "full ALiBi": "bloom falcon mpt",
    "full window softcap": "gemma2 vaultgemma",
    "full window sinks": "flint gpt_oss granite_swa granitemoe_swa mimo_v2_flash",
    "full chunked": "llama4_text",
    "full conv": "lfm2 lfm2_moe",
    "full window conv": "lfm3",
    "full recurrent": """
        bamba falcon_h1 granitemoehybrid jamba nemotron_h olmo_hybrid qwen3_5_moe_text qwen3_5_text qwen3_next zamba2
    """,
    "full window recurrent": "minimax",
    "latent recurrent": "bailing_hybrid kimi_linear",
    "recurrent": "falcon_mamba mamba mamba2",
    "latent": "axk1 deepseek_v2 deepseek_v3 glm4_moe_lite longcat_flash minicpm3 youtu",
    "latent sparse": "axk2 deepseek_v32 glm_moe_dsa",
    "latent sparse sinks": "hy_v4",
    "latent window sparse": "dots3_note_text",
    "full sparse": "minimax_m3_vl_text",
    "full cross": "bart blenderbot blenderbot-small m2m_100 marian mbart nllb-moe pegasus plbart whisper",
    "full cross bias": "mt5 t5 umt5",
    "bidirectional": "bert camembert data2vec-text distilbert electra ernie nomic_bert roberta xlm-roberta",
    "bidirectional window": "modernbert",
}
# Model types whose forward cannot run in a CUDA graph, and why.
EAGER_ONLY = {
    "longcat_flash": "it loops over the experts that its tokens are routed to",
    "step3p5": "it loops over the experts that its tokens are routed to",
    "mllama_text_model": "how many images a step's tokens see changes from step to step",
}
# Model types by the reason why they are not supported.
_REFUSED = {
    "it convolves keys and values over neighbouring tokens, a state that is not a KV cache": (
        "inkling_text inkling2_text zaya"
    ),
    "its recurrent layers have several heads of a selective scan, each with B and C of its own": "zamba",
    "its recurrence is gated by the input alone, for which there is no operator": "recurrent_gemma",
    "it is recurrent in a way of its own, for which there is no operator": "rwkv xlstm",
    "its layers run several times for a token, each time with keys and values of their own": "hrm_text",
    "it attends to compressed entries beside a window of tokens: the entry in progress is a state of its own": (
        "deepseek_v4"
    ),
    "its layers add embeddings of n-grams, whose tokens and convolutions are states of their own": ("qwen4_exp_text"),
    "its layers attend twice, with different values": "diffllama",
    "it computes a mask of its own from keys and values": "doge",
    "its attention does not go through transformers' attention interface": "cpmant dbrx openai-gpt",
    "it attends within byte patches that it cuts by the text's entropy": "blt",
    "it hashes tokens into buckets": "reformer",
    "its attention is relative to a memory of segments, not causal over a KV cache": "xlnet",
    "its forward replaces a buffer in every step, which no graph can hold": "ctrl",
    "it drafts for another model, whose cache it reads": "gemma4_assistant gemma4_unified_assistant",
    "it is an encoder whose attention or embeddings are not those of BERT, RoBERTa or ModernBERT": """
        bert-generation big_bird megatron-bert rembert roberta-prelayernorm roc_bert roformer xlm xlm-roberta-xl xmod
    """,
    "it is an encoder whose scores gain a learned bias for keys on both sides, operators know one for keys before": (
        "mpnet"
    ),
    "it is an encoder whose scores have products of contents and relative positions, for which there is no operator": (
        "deberta deberta-v2"
    ),
    "it predicts audio codes, several a step": "moshi musicgen musicgen_melody",
    "it reads images in layers or positions of their own, and has no config of its text part": """
        git phi4_multimodal
    """,
    "it is the decoder of an encoder-decoder, which attends to an encoder's output": """
        bigbird_pegasus mvp prophetnet trocr
    """,
}
# Encoders: their tokens attend in both directions, and nothing is generated.
ENCODERS = frozenset(
    name for kinds, names in _SUPPORTED.items() if kinds.startswith("bidirectional") for name in names.split()
)
# Model types whose attention takes no attention function; it is replaced while a step runs (attention_modules.py).
OWN_ATTENTION = ("bloom", "codegen", "falcon", "gpt_neo", "gpt_neox_japanese", "gptj", "mpt", "xglm")
# Model types that put the sliding window into the mask alone and do not pass it to their attention.
WINDOW_BY_MASK = ("phimoe",)
# Model types that fail without a mask, though their attention needs none.
NEEDS_A_MASK = ("axk2", "deepseek_v32", "dots3_note_text", "glm_moe_dsa", "hy_v4", "mistral_large4_text", "mpt")
# Model types of text parts that exist only inside models which read images or sounds.
MEDIA_TEXTS = frozenset(
    [
        *("chameleon", "cohere_compass_text", "cosmos3_edge_text", "muse_glimmer_text", "step3p5"),
        *("deepseek_ocr2_text", "emu3_text_model", "mistral4", "mistral_large4_text", "muse_spark_text"),
        *("glm4v_moe_text", "glm4v_text", "glm_ocr_text", "granite_docling_text", "hunyuan_vl_text"),
        *("mllama_text_model", "paddleocr_vl_text", "qwen2_5_vl_text", "qwen2_vl_text", "qwen3_vl_moe_text"),
        "qwen3_vl_text",
    ]
)


@dataclass(frozen=True, slots=True)
class MediaFamily:
    """A model type whose prompts may have images, sounds or videos.

    Args:
        modalities: a subset of {"image", "audio", "video"}.
        position_axes: axes of a token's position.
        attends_both_ways: True if the tokens of an image see each other.
        sees_in_windows: True if they do so in layers with a window alone.
        whole_prompt: True if all of a prompt with an image sees itself; then it has one image.
        deepstack: True if features are added behind the first layers too.
        frames_are_images: True if the placeholders of a video are those of images; then a prompt has one or the other.
        least_features: fewest features of an item for which the model's own code works.
        attends_to_tiles: True if layers attend to images, which do not stand in the embeddings.
        by_forward: True if the model's forward alone makes features, and has no function that does.
        is_encoder: True if all tokens of a prompt see each other, with an image or without: it is computed in one step.
    """

    modalities: frozenset[str]
    position_axes: int = 1
    attends_both_ways: bool = False
    sees_in_windows: bool = False
    whole_prompt: bool = False
    deepstack: bool = False
    frames_are_images: bool = False
    least_features: int = 1
    attends_to_tiles: bool = False
    is_encoder: bool = False
    by_forward: bool = False


_IMAGES, _SOUNDS, _VIDEOS = frozenset(["image"]), frozenset(["audio"]), frozenset(["image", "video"])
# Whole models, by model type, whose images or sounds are read. tests/integrations/test_media_models.py compares each
# with transformers' own output. Other models with a supported text part run as text models.
MEDIA = {
    **dict.fromkeys(
        [
            *("aria", "aya_vision", "cohere2_vision", "deepseek_vl", "deepseek_vl_hybrid", "got_ocr2", "idefics3"),
            *("janus", "lfm2_vl", "lighton_ocr", "llava", "llava_next", "mistral3", "qianfan_ocr"),
            *("video_llava", "vipllava"),
        ],
        MediaFamily(_IMAGES),
    ),
    "gemma3": MediaFamily(_IMAGES, attends_both_ways=True),
    "gemma4": MediaFamily(_VIDEOS | _SOUNDS),
    **dict.fromkeys(
        ["hyperclovax_vision_v2", "lfm3_vl", "llava_next_video", "video_llama_3"],
        MediaFamily(_VIDEOS),
    ),
    "glmga": MediaFamily(_VIDEOS, position_axes=3, frames_are_images=True),
    "glm4v_moe": MediaFamily(_VIDEOS, position_axes=3, frames_are_images=True),
    "glm_ocr": MediaFamily(_VIDEOS, position_axes=3, frames_are_images=True),
    "paddleocr_vl": MediaFamily(_IMAGES, position_axes=3),
    "hunyuan_vl": MediaFamily(_IMAGES, position_axes=4),
    "granite_docling": MediaFamily(_IMAGES, deepstack=True),
    "cosmos3_omni": MediaFamily(_VIDEOS, position_axes=3, deepstack=True),
    "cosmos3_edge": MediaFamily(_VIDEOS, position_axes=3),
    "cohere_compass": MediaFamily(_VIDEOS, position_axes=3, deepstack=True),
    "chameleon": MediaFamily(_IMAGES),
    "deepseek_ocr2": MediaFamily(_IMAGES),
    "emu3": MediaFamily(_IMAGES),
    "dots3_note": MediaFamily(_VIDEOS | _SOUNDS),
    "muse_spark": MediaFamily(_VIDEOS | _SOUNDS),
    "minimax_m3_vl": MediaFamily(_VIDEOS),
    "minicpm_ocr": MediaFamily(_VIDEOS),
    "minicpmv4_6": MediaFamily(_VIDEOS),
    "minicpmv4_7": MediaFamily(_VIDEOS, position_axes=3),
    "mistral_large4": MediaFamily(_IMAGES),
    "fast_vlm": MediaFamily(_IMAGES),
    "perception_lm": MediaFamily(_IMAGES),
    "kimi_k25": MediaFamily(_IMAGES),
    "llama4": MediaFamily(_IMAGES, by_forward=True),
    "muse_glimmer": MediaFamily(_VIDEOS),
    "step3p7": MediaFamily(_IMAGES),
    "glm46v": MediaFamily(_VIDEOS, position_axes=3, frames_are_images=True),
    "glm4v": MediaFamily(_VIDEOS, position_axes=3, frames_are_images=True),
    "exaone4_5": MediaFamily(_VIDEOS),
    "internvl": MediaFamily(_VIDEOS, frames_are_images=True),
    "llava_onevision": MediaFamily(_VIDEOS),
    "mllama": MediaFamily(_IMAGES, attends_to_tiles=True),
    "paligemma": MediaFamily(_IMAGES, attends_both_ways=True, whole_prompt=True),
    "qwen2_5_vl": MediaFamily(_VIDEOS, position_axes=3),
    "qwen2_audio": MediaFamily(_SOUNDS, least_features=2),
    **dict.fromkeys(
        [
            *("audioflamingo3", "fun_asr_nano", "glmasr", "granite_speech", "granite_speech_plus"),
            *("moss_transcribe_diarize", "musicflamingo", "qwen3_asr", "voxtral"),
        ],
        MediaFamily(_SOUNDS),
    ),
    "qwen2_vl": MediaFamily(_VIDEOS, position_axes=3),
    "qwen3_5": MediaFamily(_VIDEOS, position_axes=3),
    "qwen3_5_moe": MediaFamily(_VIDEOS, position_axes=3),
    "qwen3_vl": MediaFamily(_VIDEOS, position_axes=3, deepstack=True),
    "qwen3_vl_moe": MediaFamily(_VIDEOS, position_axes=3, deepstack=True),
    "smolvlm": MediaFamily(_VIDEOS, frames_are_images=True),
}
# Embedders with a vector for each token, by their type and that of the model in them, their `vlm_config`.
# tests/integrations/test_token_embedders.py compares each with transformers' own output.
EMBEDDERS = {
    ("colmodernvbert", "modernvbert"): MediaFamily(_IMAGES, is_encoder=True),
    ("colpali", "paligemma"): MediaFamily(_IMAGES, is_encoder=True),
    ("colqwen2", "qwen2_5_vl"): MediaFamily(_IMAGES, position_axes=3),
    ("colqwen2", "qwen2_vl"): MediaFamily(_IMAGES, position_axes=3),
}
EMBEDDER_TYPES = frozenset(kind for kind, _ in EMBEDDERS)
# Models whose images or sounds are not read, by the reason. Others that are not in `MEDIA` have not been judged.
MEDIA_REFUSED = {
    **dict.fromkeys(
        ["blip-2", "idefics2", "instructblip", "instructblipvideo", "nemotron_h_omni"],
        "its processor makes the whole prompt in one call, not an item at a time",
    ),
    **dict.fromkeys(
        ["blip", "evolla", "idefics"], "layers of its text part attend to images, which is known of Mllama's alone"
    ),
    **dict.fromkeys(
        ["florence2", "pix2struct", "pp_formulanet", "t5gemma2", "udop", "vision-encoder-decoder"],
        "it is an encoder-decoder whose encoder reads the image",
    ),
    **dict.fromkeys(
        ["kosmos-2", "kosmos-2.5"], "its features are placed by a mask over the whole prompt, not by a placeholder"
    ),
    **dict.fromkeys(
        ["qwen2_5_omni_thinker", "qwen3_omni_moe_thinker"],
        "positions of a prompt depend on the lengths of its sounds, and are known by those of images alone",
    ),
    **dict.fromkeys(
        ["qwen2_5_omni", "qwen3_omni_moe"], "it speaks too: the part that reads is a model of its own, its thinker"
    ),
    "diffusion_gemma": "it writes blocks of tokens by diffusion, not one token after another",
    "ernie4_5_vl_moe": "its layers send the tokens of images to experts of their own",
    "fuyu": "its processor puts the placeholders of one image before the text itself",
    "gemma3n": "tokens around an image have embeddings of its tower, which is of the package timm",
    "gemma4_unified": "transformers' forward masks the tokens of an image in another way than its generate",
    "glm5_next": "its layers choose pools of tokens by weighted means of keys, for which there is no operator",
    "granite4_vision": "features of an image are added before layers that its config chooses, not behind the first",
    "kyutai_speech_to_text": "it hears codes of a sound beside every token, not in place of placeholders",
    "mistral4": "it is a text part alone; the models that read images around it are of type mistral3",
    "molmo2": "tokens of all images of a prompt see each other, not those of each image",
    "nemo_speechlm": "its placeholder is a token beyond the vocabulary of its text part",
    "ovis2": "it has embeddings of its own for the tokens around an image",
    "pi0": "it predicts the actions of a robot, and no tokens",
    "pp_chart2table": "its processor expands no placeholder: prompts have one for each feature",
    "shieldgemma2": "it classifies an image, and generates nothing",
    "unlimited_ocr": "a token that it writes sees all of the prompt and a window of what it has written",
    "vibevoice_asr": "its features are drawn at random, other ones each time",
    "voxtral_realtime": "features of a sound are added to the embeddings of all tokens, not put in their place",
}


def media_family(config: PretrainedConfig) -> MediaFamily | None:
    """Return how a whole model of this config reads images or sounds; None if it does not."""
    if config.model_type in EMBEDDER_TYPES:
        return EMBEDDERS.get((config.model_type, seeing_config(config).model_type))
    family = MEDIA.get(config.model_type)
    if config.model_type != "gemma4" or family is None:
        return family
    sees = config.get_text_config(decoder=True).use_bidirectional_attention == "vision"
    kinds = family.modalities if config.audio_config is not None else family.modalities - {"audio"}
    return replace(family, modalities=kinds, attends_both_ways=sees, sees_in_windows=sees)


def reads_whole(kind: str) -> bool:
    """Return True for a model type whose prompts are computed whole, because all their tokens see each other."""
    return kind in ENCODERS or any(kind == outer and each.is_encoder for (outer, _), each in EMBEDDERS.items())


def seeing_config(config: PretrainedConfig) -> PretrainedConfig:
    """Return the config with an embedder's tower and text part: that of the model in it; other configs as they are."""
    return config.vlm_config if config.model_type in EMBEDDER_TYPES else config


@dataclass(frozen=True, slots=True)
class Family:
    """One of transformers' model types.

    Args:
        attention: kinds from `KINDS`; empty if the model type is not supported.
        reason: why it is not supported; None if it is.
    """

    attention: tuple[str, ...]
    reason: str | None = None


FAMILIES: dict[str, Family] = dict(
    sorted(
        [
            *((name, Family(tuple(kinds.split()))) for kinds, names in _SUPPORTED.items() for name in names.split()),
            *((name, Family((), reason)) for reason, names in _REFUSED.items() for name in names.split()),
        ]
    )
)
# Examples for error messages, which cannot list all.
_KNOWN = ("llama", "mistral", "qwen3", "gemma3_text", "gpt_oss", "deepseek_v3")
SUPPORTED = tuple(name for name, family in FAMILIES.items() if family.reason is None)


def table() -> list[dict[str, str]]:
    """Return a row for each model type: its name, kinds of attention, and "supported" or why it is refused."""
    return [
        {
            "family": name,
            "attention": ", ".join(family.attention) or "-",
            "status": "supported" if family.reason is None else f"refused: {family.reason}",
        }
        for name, family in FAMILIES.items()
    ]


def unsupported_reason(config: PretrainedConfig) -> str | None:
    """Return why a model of this config is not supported, and which models are; None if it is."""
    kind, reason = config.model_type, None
    if kind not in SUPPORTED and kind not in MEDIA_TEXTS:
        unknown = "its output has not been verified against transformers' own"
        why = FAMILIES[kind].reason if kind in FAMILIES else unknown
        reason = f"model type {kind!r} is not supported: {why}; {supported()}"
    elif kind in ENCODERS and getattr(config, "is_decoder", False):
        reason = f"model type {kind!r} with is_decoder is not supported: it runs as an encoder only; leave it out"
    elif (rope := rope_type(config)) in ("dynamic", "longrope by layer"):
        reason = (
            f"model type {kind!r} with rope type {rope!r} is not supported: its rotary frequencies depend on the "
            "longest sequence of the batch; use a checkpoint or config with another rope type"
        )
    elif (share := getattr(config, "moe_eval_capacity_token_fraction", 1.0)) < 1:
        reason = (
            f"model type {kind!r} with moe_eval_capacity_token_fraction {share} is not supported: an expert leaves out "
            "tokens by how many others the batch has; use 1.0"
        )
    return reason


def rope_type(config: PretrainedConfig) -> str | None:
    """Return the type of rotary embedding. If layers differ, prefer one whose frequencies depend on the batch."""
    parameters = getattr(config, "rope_parameters", None) or {}
    nested = [p.get("rope_type") for p in parameters.values() if isinstance(p, dict)]
    found: str | None
    if "longrope" in nested:
        found = "longrope by layer"
    elif "dynamic" in nested:
        found = "dynamic"
    else:
        found = nested[0] if nested else parameters.get("rope_type")
    if found == "dynamic" and parameters.get("alpha") and config.model_type.startswith("hunyuan"):
        found = "default"  # its checkpoints call a fixed stretch of the base so: no length decides its frequencies
    return found


# Ends of the names of transformers' classes that classify instead of generating.
TEXT_CLASSIFIER, TOKEN_CLASSIFIER = "ForSequenceClassification", "ForTokenClassification"
# The layer of a model in `EMBEDDERS` that makes vectors of hidden states.
VECTOR_HEAD = "embedding_proj_layer"

# Names of a config's maximum sequence length.
LENGTHS = ("max_position_embeddings", "max_seq_len", "seq_length")


def max_length(config: PretrainedConfig) -> int:
    """Return a config's maximum sequence length; 2048 if it has none."""
    return next((length for name in LENGTHS if (length := getattr(config, name, None))), 2048)


def supported() -> str:
    """Return the end of an error message: the supported model types in short."""
    rest = len(SUPPORTED) - len(_KNOWN)
    return f"supported are: {', '.join(_KNOWN)} and {rest} others, listed by `torchpaged info --families`"
