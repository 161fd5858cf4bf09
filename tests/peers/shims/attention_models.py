# Appended to the staged tests/test_modeling_common.py: eight model types, small, under its mixin.
import unittest

import transformers
from transformers import AutoConfig

_SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": 99,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "max_position_embeddings": 512,
}
_GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 99, "n_positions": 512}
_MODELS = {
    "llama": "Llama",
    "qwen2": "Qwen2",
    "qwen3": "Qwen3",
    "gemma2": "Gemma2",
    "gemma3_text": "Gemma3Text",
    "gpt2": "GPT2",
    "mixtral": "Mixtral",
    "mistral": "Mistral",
}


class _ModelTester:
    batch_size, seq_length, is_training = 13, 7, True
    hidden_size, num_hidden_layers, num_attention_heads, vocab_size = 32, 2, 4, 99

    def __init__(self, model_type):
        self.model_type = model_type

    def get_config(self):
        return AutoConfig.for_model(self.model_type, **(_GPT2 if self.model_type == "gpt2" else _SIZES))

    def prepare_config_and_inputs_for_common(self):
        ids = ids_tensor([self.batch_size, self.seq_length], self.vocab_size)  # noqa: F821
        return self.get_config(), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}  # noqa: F821


def _case(model_type, name):
    def set_up(self):
        self.model_tester = _ModelTester(model_type)

    heads = {"gpt2": "GPT2LMHeadModel", "gemma3_text": "Gemma3ForCausalLM"}
    names = (f"{name}Model", heads.get(model_type, f"{name}ForCausalLM"))
    classes = tuple(getattr(transformers, each) for each in names)
    body = {"all_model_classes": classes, "setUp": set_up, "test_resize_embeddings": False}
    return type(f"Test{name}", (ModelTesterMixin, unittest.TestCase), body)  # noqa: F821


for _type, _name in _MODELS.items():
    globals()[f"Test{_name}"] = _case(_type, _name)
