"""Damaged and invented files: each is loaded, or refused with a typed error.

`python -m tests.file_mutations KIND --first 0 --count 1000` tries mutations of one kind of file, each a seed, in a
process that may die or hang of one, and prints a line for each seed with a fault: a signal, an error that is not
torchpaged's own, or no end within `--seconds`.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import random
import select
import shutil
import signal
import struct
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers import models as token_models
from transformers import PreTrainedTokenizerFast
from transformers.utils import logging

from tests import models
from tests.prefix_files import pack, unpacked
from torchpaged import LLM, SamplingParams
from torchpaged.errors import TorchpagedError
from torchpaged.models import pt2_file
from torchpaged.models.tokenizer import load_tokenizer

SETTINGS: dict[str, Any] = {"num_blocks": 24, "block_size": 4, "max_num_batched_tokens": 32, "max_num_seqs": 4}
PREFIX = list(range(1, 14))
# Values that a reader of JSON may not expect; Python's JSON includes NaN and the infinities.
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 1.5, -0.0, 1e308, math.inf, -math.inf, math.nan, 2**31, 2**32, 2**63,
    -(2**63), 2**64, 10**30, "", "x", "\0", "\ud800", "a" * 5000, "..", "/etc/passwd", "llama", "LlamaForCausalLM",
    "float32", "auto", [], {}, [None], [1.5], ["x"], {"x": 1}, [[]], [[1]] * 40, {"a": {"b": {}}}, list(range(300)),
    "{{ 1/0 }}", "{% for",
)  # fmt: skip


class Kind(NamedTuple):
    """Kind of file.

    Args:
        make: writes valid files into a folder.
        mutate: changes something in a copy of that folder.
        use: loads the files and runs the model.
    """

    make: Callable[[Path], object]
    mutate: Callable[[random.Random, Path], object]
    use: Callable[[Path], object]


def tiny() -> Any:
    """Return a model whose tokens are bytes of text."""
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 2, "num_key_value_heads": 1}
    return models.build("llama", vocab_size=264, num_hidden_layers=2, max_position_embeddings=128, **sizes)


def tokenizer() -> Any:
    """Return a tokenizer of bytes, without merges."""
    letters = {letter: i for i, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(token_models.BPE(vocab={**letters, "<|end|>": 256}, merges=[]))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    whole = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>")
    whole.chat_template = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    return whole


def run(path: Path) -> None:
    """Complete a text and a chat."""
    with LLM(path, use_tqdm_on_load=False, **SETTINGS) as llm:
        params = SamplingParams(temperature=0, max_tokens=3)
        llm.generate("ab c", params, use_tqdm=False)
        llm.chat([{"role": "user", "content": "hi"}], params, use_tqdm=False)


# --- Mutations --------------------------------------------------------------------------------------------


def damage(rng: random.Random, path: Path, most: int | None = None) -> None:
    """Change some bytes, a number of 4 or 8 bytes, or the end, within the first `most` bytes."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(min(len(data), most or len(data)) or 1)
        kind = rng.randrange(8)
        if kind < 3:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 3:
            data[at : at + 8] = struct.pack("<Q", rng.choice([0, 1, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1]))
        elif kind == 4:
            data[at : at + 4] = struct.pack("<I", rng.choice([0, 1, 8, 1 << 31, (1 << 32) - 1]))
        elif kind == 5:
            del data[at : at + rng.randint(1, 64)]
        elif kind == 6:
            data[at:at] = data[at : at + rng.randint(1, 64)]
        elif rng.random() < 0.3:
            del data[rng.randrange(len(data) + 1) :]
    path.write_bytes(bytes(data))


def twist(rng: random.Random, value: Any) -> Any:
    """Return a copy of a JSON value with something in it replaced, dropped, added or renamed."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(value))
        if not places:
            return rng.choice(HOSTILE)
        inside, key = rng.choice(places)
        kind = rng.randrange(6)
        if kind == 0 and isinstance(inside, dict):
            inside[rng.choice(("x", "", *KEYS))] = copy.deepcopy(rng.choice(HOSTILE))
        elif kind == 1:
            del inside[key]
        elif kind == 2 and isinstance(inside[key], (int, float)):
            inside[key] = inside[key] * rng.choice((-1, 0, 2, 3, 1000, 0.5)) + rng.choice((0, 1, -1))
        else:
            inside[key] = copy.deepcopy(rng.choice(HOSTILE))
    return value


# Keys that config.json and similar files of a checkpoint may have, and these do not.
KEYS = (
    "num_labels", "id2label", "label2id", "problem_type", "torch_dtype", "quantization_config", "auto_map",
    "sliding_window", "layer_types", "rope_scaling", "rope_theta", "text_config", "vision_config",
    "is_encoder_decoder", "transformers_weights", "attn_implementation", "_attn_implementation",
    "tie_word_embeddings", "max_length", "temperature", "top_k", "top_p", "eos_token_id", "suppress_tokens",
    "output_attentions", "return_dict", "pruned_heads", "chunk_size_feed_forward", "partial_rotary_factor",
    "logits_to_keep", "num_hidden_layers", "attention_chunk_size", "final_logit_softcapping", "chat_template",
    "added_tokens_decoder", "extra_special_tokens", "additional_special_tokens", "model_max_length", "padding_side",
    "truncation_side", "clean_up_tokenization_spaces", "tokenizer_class", "response_template",
)  # fmt: skip


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def twist_json(rng: random.Random, path: Path) -> None:
    """Change the values of a JSON file, rarely its bytes."""
    if rng.random() < 0.1:
        damage(rng, path)
        return
    changed = twist(rng, json.loads(path.read_text()))
    path.write_text(json.dumps(changed), encoding="utf-8", errors="surrogatepass")


def twist_safetensors(rng: random.Random, path: Path) -> None:
    """Change the header's values, or bytes anywhere."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    if rng.random() < 0.5:
        damage(rng, path, most=rng.choice((8, 8 + size, None)))
        return
    header = json.dumps(twist(rng, json.loads(data[8 : 8 + size]))).encode()
    header += b" " * (-len(header) % 8)
    path.write_bytes(len(header).to_bytes(8, "little") + header + data[8 + size :])


def twist_prefixes(rng: random.Random, path: Path) -> None:
    """Change the list of a file's prefixes, with valid checksums; or bytes anywhere."""
    if rng.random() < 0.5:
        damage(rng, path, most=rng.choice((8, 200, 70_000, None)))
        return
    namespace, contents, pieces = unpacked(path)
    pack(path, namespace, twist(rng, contents), pieces)


def twist_archive(rng: random.Random, path: Path) -> None:
    """Change the record or the tokenizer of an exported model, with valid checksums; or bytes anywhere."""
    if rng.random() < 0.4:
        damage(rng, path, most=rng.choice((None, 4000)))
        return
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    texts = [name for name in members if name.endswith(".json") and "torchpaged" in name]
    name = rng.choice([*texts, *(each for each in texts if each.endswith("model.json"))])
    members[name] = json.dumps(twist(rng, json.loads(members[name]))).encode()
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


# --- Kinds ------------------------------------------------------------------------------------------------


def _folder(folder: Path) -> None:
    tiny().save_pretrained(folder)
    tokenizer().save_pretrained(folder)


def _gguf(folder: Path) -> None:
    from gguf import GGMLQuantizationType

    from tests.integrations.gguf_files import write
    from tests.test_gguf_llm import TOKENIZER
    from tests.test_gguf_llm import tiny as of_gguf

    write(of_gguf(), folder / "m.gguf", GGMLQuantizationType.Q4_0, **TOKENIZER)


def _gguf_header(path: Path) -> int:
    data = path.read_bytes()
    return data.rindex(b".weight") + 60


def _exported(folder: Path) -> None:
    """Write an exported model with an invalid program: compiling a real one takes a minute."""
    from tests.models.test_pt2_file import RECORD

    writer = torch._C.PyTorchFileWriter(str(folder / "m.pt2"))
    for name, content in (("data/aotinductor/model/program.so", bytes(512)), ("archive_format", b"pt2")):
        writer.write_record(name, content, len(content))
    writer.write_end_of_file()
    pt2_file.add_record(folder / "m.pt2", RECORD, tokenizer())


def _read_exported(folder: Path) -> None:
    pt2_file.read_record(str(folder / "m.pt2"))
    if pt2_file.unpack_tokenizer(str(folder / "m.pt2"), folder / "tokenizer"):
        load_tokenizer(folder / "tokenizer")


_LLM: list[LLM] = []


def _llm() -> LLM:
    if not _LLM:
        _LLM.append(LLM(tiny(), **SETTINGS))
    return _LLM[0]


def _prefix(folder: Path) -> None:
    _llm().save_prefix(folder / "p.kv", PREFIX)


def _load_prefix(folder: Path) -> None:
    """Load a prefix; if it is refused, the engine still works and holds nothing."""
    llm = _llm()
    try:
        llm.load_prefix(folder / "p.kv")
    finally:
        for name in list(llm.engine.prefixes.names):
            llm.unpin_prefix(name)
        llm.engine.check()
        assert llm.stats().cache.num_used_blocks == 0
        llm.reset_prefix_cache()
        llm.generate(PREFIX, SamplingParams(temperature=0, max_tokens=2), use_tqdm=False)


KINDS = {
    "config": Kind(_folder, lambda rng, at: twist_json(rng, at / "config.json"), run),
    "generation_config": Kind(_folder, lambda rng, at: twist_json(rng, at / "generation_config.json"), run),
    "tokenizer": Kind(_folder, lambda rng, at: twist_json(rng, at / "tokenizer.json"), run),
    "tokenizer_config": Kind(_folder, lambda rng, at: twist_json(rng, at / "tokenizer_config.json"), run),
    "safetensors": Kind(_folder, lambda rng, at: twist_safetensors(rng, at / "model.safetensors"), run),
    "gguf": Kind(
        _gguf, lambda rng, at: damage(rng, at / "m.gguf", _gguf_header(at / "m.gguf")), lambda at: run(at / "m.gguf")
    ),
    "pt2": Kind(_exported, lambda rng, at: twist_archive(rng, at / "m.pt2"), _read_exported),
    "prefix": Kind(_prefix, lambda rng, at: twist_prefixes(rng, at / "p.kv"), _load_prefix),
}


def attempt(kind: Kind, whole: Path, seed: int) -> str | None:
    """Try one mutation; return why it was refused, or None. Errors that are not torchpaged's own are raised."""
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "it"
        shutil.copytree(whole, copied)
        kind.mutate(random.Random(seed), copied)
        try:
            kind.use(copied)
        except TorchpagedError as error:
            return f"{type(error).__name__}: {error}"
    return None


# --- In processes -----------------------------------------------------------------------------------------


def _child(kind: Kind, whole: Path, seeds: range, out: int) -> None:
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    for seed in seeds:
        os.write(out, f"{seed} begins\n".encode())
        try:
            said = attempt(kind, whole, seed)
            os.write(out, f"{seed} {'refused' if said else 'loaded'}\n".encode())
            if said and (len(said) > 1500 or "\n" in said):
                os.write(out, f"{seed} fault: a message of {len(said)} letters: {said[:100]!r}\n".encode())
        except BaseException as error:
            at = traceback.extract_tb(error.__traceback__)
            own = [f"{Path(each.filename).name}:{each.lineno}" for each in at if "torchpaged" in each.filename][-2:]
            last = f"{at[-1].filename}:{at[-1].lineno}"
            text = f"{type(error).__name__}: {str(error)[:200]!r} at {own}, {last}"
            os.write(out, f"{seed} fault: {text}\n".encode())


def _used(process: int) -> float:
    """Return seconds of processor time, which other load on the machine does not change."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def hunt(kind: Kind, seeds: range, seconds: float) -> Iterator[tuple[int, str]]:
    """Yield (seed, fault) of each seed that has one; continues after a process died."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder)
        kind.make(whole)
        kind.use(whole)  # every child process inherits its imports
        following, refused, idle = seeds.start, 0, 0
        while following < seeds.stop:
            source, out = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(source)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                _child(kind, whole, range(following, seeds.stop), out)
                os._exit(0)
            os.close(out)
            at, hung, text = following, False, b""
            until = _used(child) + seconds
            while True:
                ready, _, _ = select.select([source], [], [], seconds)
                if not ready and _used(child) < until and (idle := idle + 1) < 10:
                    continue
                if not ready:
                    hung = True
                    os.kill(child, signal.SIGKILL)
                    break
                until, idle = _used(child) + seconds, 0
                if not (more := os.read(source, 65536)):
                    break
                *lines, text = (text + more).split(b"\n")
                for line in lines:
                    number, _, what = line.decode().partition(" ")
                    at = int(number)
                    refused += what == "refused"
                    if what == "begins" and (at - seeds.start) % 50 == 0:
                        print(f"{at - seeds.start} mutations, {refused} refused", flush=True)
                    if what.startswith("fault"):
                        yield at, what
            os.close(source)
            _, status = os.waitpid(child, 0)
            following = at + 1
            if hung:
                yield at, f"fault: no end within {seconds} s"
            elif status:
                yield at, f"fault: ended by {signal.Signals(status).name if status < 65 else status}"
        print(f"{len(seeds)} mutations, {refused} refused: the end", flush=True)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=[*KINDS])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20, help="of processor time")
    parser.add_argument("--one", action="store_true", help="here, with the traceback")
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.one:
        with tempfile.TemporaryDirectory() as folder:
            KINDS[given.kind].make(Path(folder))
            print(attempt(KINDS[given.kind], Path(folder), given.first))
        return
    faults = 0
    for seed, what in hunt(KINDS[given.kind], range(given.first, given.first + given.count), given.seconds):
        faults += 1
        print(f"{given.kind} {seed} {what}", flush=True)
    sys.exit(bool(faults))


if __name__ == "__main__":
    _main()
