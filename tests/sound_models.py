"""Tiny random models that read sounds, with transformers' own processors built from configs: see `vision_models`."""

from __future__ import annotations

import json
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer
from torch import Tensor

from tests.tiny_media import NO_ENDS, TEXT, VisionModel, random_model, tokenizer
from torchpaged.integrations.transformers.media_processor import available


def _qwen2_audio() -> VisionModel:
    own = tokenizer(audio_token="<|AUDIO|>", audio_bos_token="<|audio_bos|>", audio_eos_token="<|audio_eos|>")
    config = transformers.Qwen2AudioConfig(
        text_config={"model_type": "qwen2", "vocab_size": len(own), **TEXT},
        audio_config={
            "d_model": 32,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 48,
            "encoder_layers": 2,
            "num_mel_bins": 16,
            "max_source_positions": 50,
        },
        audio_token_index=own.convert_tokens_to_ids("<|AUDIO|>"),
        **NO_ENDS,
    )
    sounds = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    processor = transformers.Qwen2AudioProcessor(sounds, own)
    model = random_model(transformers.Qwen2AudioForConditionalGeneration, config)
    return VisionModel(model, processor, "<|audio_bos|><|AUDIO|><|audio_eos|>")


def _glmasr() -> VisionModel:
    own = tokenizer(audio_token="<|pad|>")
    config = transformers.GlmAsrConfig(
        text_config={"model_type": "llama", "vocab_size": len(own), **TEXT},
        audio_config={
            "model_type": "glmasr_encoder",
            "hidden_size": 32,
            "intermediate_size": 128,
            "num_attention_heads": 2,
            "num_hidden_layers": 2,
            "num_mel_bins": 16,
            "max_position_embeddings": 100,
        },
        audio_token_id=own.convert_tokens_to_ids("<|pad|>"),
        tie_word_embeddings=False,
        **NO_ENDS,
    )
    sounds = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=2)
    processor = transformers.GlmAsrProcessor(sounds, own)
    return VisionModel(random_model(transformers.GlmAsrForConditionalGeneration, config), processor, "<|pad|>")


def _voxtral() -> VisionModel:
    """[AUDIO] has the id 24, as transformers' processor requires."""
    own = _with_id(tokenizer(audio_token="[AUDIO]", begin_token="[BEGIN_AUDIO]"), "[AUDIO]", 24)
    config = transformers.VoxtralConfig(
        text_config={"model_type": "llama", "vocab_size": len(own) + 2, **TEXT},
        audio_config={"hidden_size": 32, "intermediate_size": 128, **_ENCODER, "max_source_positions": 40},
        audio_token_id=24,
        tie_word_embeddings=False,
        **NO_ENDS,
    )
    sounds = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    processor = transformers.VoxtralProcessor(sounds, own)
    # Sounds are padded to pieces of 0.8 seconds; of 30 in the checkpoints, whose processors do not write it down.
    transformers.VoxtralProcessor.audio_kwargs |= {"pad_to_multiple_of": 12800, "max_source_positions": 80}
    model = random_model(transformers.VoxtralForConditionalGeneration, config)
    return VisionModel(model, processor, "[BEGIN_AUDIO][AUDIO]")


def of_voxtral(made: VisionModel, text: str, sounds: list[Any]) -> dict[str, Tensor]:
    """Return the model's inputs as mistral_common and transformers' processor make them of a chat.

    A sound is padded to whole pieces, and has a token for eight frames of its spectrogram.
    """
    processor: Any = made.processor
    tokens = made.processor.tokenizer(text)["input_ids"]  # type: ignore[attr-defined]
    counts = iter([-(-len(each) // 12800) * 10 for each in sounds])
    found = [each for token in tokens for each in [token] * (next(counts) if token == 24 else 1)]
    inputs = {"input_ids": torch.tensor([found])}
    if sounds:
        options = {name: each for name, each in processor.audio_kwargs.items() if name != "max_source_positions"}
        inputs["input_features"] = processor._retrieve_input_features(sounds, 80, **options)
    return inputs


def _audioflamingo3(name: str = "AudioFlamingo3") -> VisionModel:
    own = tokenizer(audio_token="<sound>", audio_bos_token="<|sound_bos|>", audio_eos_token="<|sound_eos|>")
    ids = own.convert_tokens_to_ids
    audio = {"model_type": "audioflamingo3_encoder", "hidden_size": 32, "intermediate_size": 48, **_ENCODER}
    rope = {"rope_type": "default", "rope_theta": 1200, "partial_rotary_factor": 0.2}
    ends = {"audio_bos_token_id": ids("<|sound_bos|>"), "audio_eos_token_id": ids("<|sound_eos|>")}
    config = getattr(transformers, f"{name}Config")(
        text_config={"model_type": "qwen2", "vocab_size": len(own), **TEXT},
        audio_config={**audio, "max_source_positions": 50},
        audio_token_id=ids("<sound>"),
        tie_word_embeddings=False,
        **({**ends, "rope_parameters": rope} if name == "MusicFlamingo" else {}),
        **NO_ENDS,
    )
    sounds = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    processor = getattr(transformers, f"{name}Processor")(sounds, own)
    model = random_model(getattr(transformers, f"{name}ForConditionalGeneration"), config)
    return VisionModel(model, processor, "<sound>")


def _qwen3_asr() -> VisionModel:
    own = tokenizer(audio_token="<|audio_pad|>", audio_bos_token="<|audio_start|>", audio_eos_token="<|audio_end|>")
    config = transformers.Qwen3ASRConfig(
        text_config={"model_type": "qwen3", "vocab_size": len(own), **TEXT},
        audio_config={
            "d_model": 32,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 48,
            "encoder_layers": 2,
            "num_mel_bins": 16,
            "n_window": 50,
            "n_window_infer": 100,
            "output_dim": 64,
            "downsample_hidden_size": 8,
        },
        audio_token_id=own.convert_tokens_to_ids("<|audio_pad|>"),
        timestamp_token_id=5,
        tie_word_embeddings=False,
        **{**NO_ENDS, "eos_token_id": 1},
    )
    sounds = transformers.Qwen3ASRFeatureExtractor(feature_size=16, chunk_length=1, min_length=2000)
    processor = transformers.Qwen3ASRProcessor(sounds, own)
    model = random_model(transformers.Qwen3ASRForConditionalGeneration, config)
    return VisionModel(model, processor, "<|audio_start|><|audio_pad|><|audio_end|>")


def _moss_transcribe_diarize() -> VisionModel:
    """With its second numbers between the placeholders of a sound."""
    own = tokenizer(audio_token="<|audio_pad|>", audio_bos_token="<|audio_start|>", audio_eos_token="<|audio_end|>")
    config = transformers.MossTranscribeDiarizeConfig(
        text_config={"model_type": "qwen3", "vocab_size": len(own), **TEXT},
        audio_config={"hidden_size": 32, "intermediate_size": 48, **_ENCODER, "max_source_positions": 50},
        audio_token_id=own.convert_tokens_to_ids("<|audio_pad|>"),
        audio_chunk_size=16000,
        tie_word_embeddings=False,
        **NO_ENDS,
    )
    sounds = transformers.MossTranscribeDiarizeFeatureExtractor(feature_size=16, chunk_length=1)
    processor = transformers.MossTranscribeDiarizeProcessor(
        sounds, own, audio_tokens_per_second=4, time_marker_every_seconds=1
    )
    model = random_model(transformers.MossTranscribeDiarizeForConditionalGeneration, config)
    return VisionModel(model, processor, "<|audio_start|><|audio_pad|><|audio_end|>")


def _granite_speech(name: str = "GraniteSpeech") -> VisionModel:
    """Without its adapter for prompts with sounds; see `test_sound_adapters`."""
    own = tokenizer(audio_token="<|audio|>")
    sizes = {"input_dim": 160, "num_layers": 2, "hidden_dim": 32, "feedforward_mult": 2, "num_heads": 2, "dim_head": 16}
    plus = {"cat_hidden_layers": [1]} if name == "GraniteSpeechPlus" else {}
    config = getattr(transformers, f"{name}Config")(
        text_config={"model_type": "granite", "vocab_size": len(own), **TEXT},
        encoder_config={
            **sizes,
            **plus,
            "output_dim": 10,
            "context_size": 20,
            "max_pos_emb": 40,
            "conv_kernel_size": 5,
        },
        projector_config={
            "model_type": "blip_2_qformer",
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 48,
            "encoder_hidden_size": 64 if plus else 32,
        },
        audio_token_index=own.convert_tokens_to_ids("<|audio|>"),
        has_lora_adapter=False,
        downsample_rate=5,
        window_size=15,
        tie_word_embeddings=False,
        **NO_ENDS,
    )
    kind = available(transformers.GraniteSpeechProcessor)
    processor = kind(transformers.GraniteSpeechFeatureExtractor(), own)
    model = random_model(getattr(transformers, f"{name}ForConditionalGeneration"), config)
    return VisionModel(model, processor, "<|audio|>")


def _fun_asr_nano() -> VisionModel:
    own = tokenizer(audio_token="<|object_ref_start|>")
    config = transformers.FunAsrNanoConfig(
        text_config={"model_type": "qwen3", "vocab_size": len(own), **TEXT},
        audio_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "num_mel_bins": 16,
            "num_timestamp_prediction_layers": 1,
        },
        adaptor_config={
            "hidden_size": 64,
            "num_attention_heads": 2,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "projector_hidden_size": 48,
        },
        audio_token_id=own.convert_tokens_to_ids("<|object_ref_start|>"),
        tie_word_embeddings=False,
        **NO_ENDS,
    )
    kind = available(transformers.FunAsrNanoProcessor)
    processor = kind(transformers.models.fun_asr_nano.FunAsrNanoFeatureExtractor(feature_size=16), own)
    model = random_model(transformers.FunAsrNanoForConditionalGeneration, config)
    return VisionModel(model, processor, "<|object_ref_start|>")


_ENCODER: dict[str, Any] = {"num_hidden_layers": 2, "num_attention_heads": 2, "num_mel_bins": 16}


def _with_id(own: Any, token: str, wanted: int) -> Any:
    """Exchange the ids of a token and of the one that has the wanted id."""
    state = json.loads(own.backend_tokenizer.to_str())
    vocabulary, given = state["model"]["vocab"], own.convert_tokens_to_ids(token)
    other = next(each for each, number in vocabulary.items() if number == wanted)
    vocabulary[other], vocabulary[token] = given, wanted
    for each in state["added_tokens"]:
        if each["content"] == token:
            each["id"] = wanted
    found = transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_str(json.dumps(state)))
    found.add_special_tokens({"pad_token": own.pad_token} if own.pad_token else {})
    return found


BUILDERS = {
    "qwen2_audio": _qwen2_audio,
    "glmasr": _glmasr,
    "voxtral": _voxtral,
    "audioflamingo3": _audioflamingo3,
    "musicflamingo": lambda: _audioflamingo3("MusicFlamingo"),
    "qwen3_asr": _qwen3_asr,
    "moss_transcribe_diarize": _moss_transcribe_diarize,
    "granite_speech": _granite_speech,
    "granite_speech_plus": lambda: _granite_speech("GraniteSpeechPlus"),
    "fun_asr_nano": _fun_asr_nano,
}
