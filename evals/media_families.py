"""A table of transformers' model types that read images or sounds beside text: what runs here, and why others do not.

    python -m evals.media_families [FILE.json]

Types are those of AutoModelForImageTextToText and AutoModelForMultimodalLM, and two that transformers lists beside
encoder-decoders. A type is judged by its config and its
model's source, except those in `families.MEDIA`, which tests compare with transformers' own output.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections import Counter
from pathlib import Path

import transformers
from transformers import AutoConfig
from transformers.models.auto import modeling_auto

from torchpaged.integrations.families import FAMILIES, MEDIA, MEDIA_REFUSED, MEDIA_TEXTS, SUPPORTED

# Patterns in a model's source, and what a model with such code needs here.
_TRAITS = {
    r"cross_attention_states|cross_attention_mask": "cross-attention to images",
    r"per_layer_inputs": "embeddings of its own in each layer",
    r"deepstack": "features behind the first layers",
    r"get_rope_index": "positions of several axes",
    r"token_type_ids_mask_function|block_sequence_ids|or_mask_function": "attention in both directions inside an image",
}
IMAGE_TEXT = tuple(sorted(modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES))
OTHERS = tuple(
    sorted(
        (modeling_auto.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES.keys() - set(IMAGE_TEXT))
        | {"audioflamingo3", "musicflamingo"}
    )
)


def row(kind: str) -> dict[str, str]:
    """Return the row of a model type: its text part's type, what runs of it, and the reason."""
    if kind in MEDIA:
        family = MEDIA[kind]
        text = AutoConfig.for_model(kind).get_text_config(decoder=True).model_type
        return {"type": kind, "text": text, "runs": ", ".join(sorted(["text", *family.modalities])), "reason": ""}
    try:
        config = AutoConfig.for_model(kind)
        text = config.get_text_config(decoder=True).model_type
    except Exception as error:  # configs that cannot be made without arguments, of whatever kind
        return {
            "type": kind,
            "text": "-",
            "runs": "-",
            "reason": f"its config has no defaults ({type(error).__name__})",
        }
    if text in MEDIA_TEXTS:
        return {"type": kind, "text": text, "runs": "text", "reason": _unread(kind, config)}
    if text not in SUPPORTED:
        reason = FAMILIES[text].reason if text in FAMILIES else "it is not known, and has not been judged"
        reason = MEDIA_REFUSED.get(kind, f"its text part: {reason}")
        return {"type": kind, "text": text, "runs": "-", "reason": reason}
    return {"type": kind, "text": text, "runs": "text", "reason": _unread(kind, config)}


def _unread(kind: str, config: transformers.PretrainedConfig) -> str:
    """Return why images or sounds of a model type are not read."""
    if kind in MEDIA_REFUSED:
        return MEDIA_REFUSED[kind]
    source = "".join(path.read_text() for path in Path(inspect.getfile(type(config))).parent.glob("modeling_*.py"))
    found = [need for pattern, need in _TRAITS.items() if re.search(pattern, source)]
    return "not judged" + (f": needs {', '.join(found)}" if found else "")


def main(arguments: list[str]) -> None:
    rows = [row(kind) for kind in (*IMAGE_TEXT, *OTHERS)]
    print("| model type | text part | runs | not read because |\n| --- | --- | --- | --- |")
    for each in rows:
        print(f"| `{each['type']}` | `{each['text']}` | {each['runs']} | {each['reason']} |")
    counts = Counter(each["runs"] for each in rows)
    print(
        f"\ntransformers {transformers.__version__}: {len(IMAGE_TEXT)} image-text types, {len(OTHERS)} others: {counts}"
    )
    for name in arguments:
        Path(name).write_text(json.dumps({"transformers": transformers.__version__, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    main(sys.argv[1:])
