"""Train stdlib-lm, a Llama of under 4 M parameters, on the running interpreter's standard library.

The model and its tokenizer are plain transformers checkpoints; nothing here is needed to load them. The schedule
follows the tokens seen, or the clock if --minutes ends it sooner. stdlib-draft has a quarter of its size and the same
tokenizer, and is the draft model for stdlib-lm.

    python evals/train_stdlib_lm.py --tokens 40_000_000
    python evals/train_stdlib_lm.py --model stdlib-draft --minutes 12
    python evals/train_stdlib_lm.py --evaluate evals/models/stdlib-lm
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from tqdm import tqdm
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

MODELS = Path(__file__).parent / "models"
END = "<|endoftext|>"
END_IDS = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
CONTEXT = 1024
VOCAB = 4096
SAFETENSORS_LIMIT = 8_000_000  # bytes: the model is committed to git
# All heads are 64 wide.
SHAPES = {
    "stdlib-lm": {
        "hidden_size": 256,
        "intermediate_size": 640,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    },
    "stdlib-draft": {
        "hidden_size": 128,
        "intermediate_size": 320,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
    },
}

# About 4 % of the library by size, and varied: text, data structures, numbers, parsing, concurrency.
HELD_OUT = (
    "bisect.py", "calendar.py", "cmd.py", "configparser.py", "contextlib.py", "csv.py", "fractions.py",
    "graphlib.py", "heapq.py", "ipaddress.py", "netrc.py", "queue.py", "sched.py", "shlex.py",
    "statistics.py", "textwrap.py",
)  # fmt: skip
TEST_FOLDERS = {"test", "tests", "idle_test"}
# encodings and pydoc_data are generated tables and reST in string literals: many tokens, little Python.
SKIPPED_FOLDERS = {"site-packages", "__pycache__", "encodings", "pydoc_data"}
# The tests would be the majority, so each pass over the library takes a fresh sample.
TEST_TOKENS_PER_LIBRARY_TOKEN = 2 / 3

SAMPLE_PROMPTS = (
    "def fibonacci(n):",
    "class Queue:\n    def __init__(self",
    "import os\nimport sys\n\ndef main(",
)

Documents = list[torch.Tensor]  # int64 token ids, one tensor per file


@dataclass(frozen=True, slots=True)
class TrainConfig:
    budget_tokens: int
    minutes: float
    seed: int
    batch_size: int = 2  # rows of CONTEXT tokens
    learning_rate: float = 2e-3
    warmup: float = 0.02  # share of the budget
    short_share: float = 0.8  # share of the budget trained on half windows, twice as fast a token
    weight_decay: float = 0.1
    clip_norm: float = 1.0
    checkpoint_seconds: float = 180.0

    def learning_rate_at(self, used: float) -> float:
        """Return the rate: linear warm-up, then cosine to zero; `used` is the consumed share of the budget."""
        if used < self.warmup:
            return self.learning_rate * max(used / self.warmup, 0.01)
        decay = (used - self.warmup) / (1.0 - self.warmup)
        return self.learning_rate * 0.5 * (1.0 + math.cos(math.pi * decay))


@dataclass(slots=True)
class Progress:
    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    loss: float = math.nan  # exponential moving average of the training loss, nats per token

    def used(self, config: TrainConfig) -> float:
        return max(self.tokens / config.budget_tokens, self.seconds / 60.0 / config.minutes)


def read_corpus() -> tuple[list[str], list[str], list[str]]:
    """Return library, test and held-out files; a held-out module's own tests are dropped."""
    root = Path(sysconfig.get_path("stdlib"))
    held_out_tests = {f"test_{name}" for name in HELD_OUT}
    library, tests, held_out = [], [], []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        folders = set(relative.parts[:-1])
        # _sysconfigdata holds the build's own paths and compiler flags
        if folders & SKIPPED_FOLDERS or relative.name.startswith("_sysconfigdata"):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # the tests keep files in other encodings on purpose
            continue
        if not text.strip():
            continue
        if str(relative) in HELD_OUT:
            held_out.append(text)
        elif not folders & TEST_FOLDERS:
            library.append(text)
        elif relative.name not in held_out_tests:
            tests.append(text)
    if len(held_out) != len(HELD_OUT):
        raise SystemExit(f"found {len(held_out)} of {len(HELD_OUT)} held-out modules under {root}")
    return library, tests, held_out


def train_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE without normalisation, so that decode(encode(s)) == s for every string."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=END,
        eos_token=END,
        pad_token=END,
        clean_up_tokenization_spaces=False,
        model_max_length=CONTEXT,
    )


def check_round_trip(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> None:
    awkward = ["\t x \r\n\n  é\u2028\u4e2d\U0001f40d ,  .  n't \x00", " a", "a \n"]
    for text in texts + awkward:
        if tokenizer.decode(encode(tokenizer, text)) != text:
            raise RuntimeError(f"tokenizer does not round-trip a text beginning {text[:60]!r}")


def encode(tokenizer: PreTrainedTokenizerFast, text: str) -> list[int]:
    """Return the token ids of a text; documents may be long, so there is no warning about model_max_length."""
    return tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]


def encode_documents(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> Documents:
    """Return one int64 tensor per text, each ended by the end-of-text token."""
    return [torch.tensor([*encode(tokenizer, text), tokenizer.eos_token_id]) for text in texts]


def build_model(name: str) -> LlamaForCausalLM:
    """Build the model of 3.8 M or 0.9 M parameters: tied embeddings, grouped-query attention."""
    config = LlamaConfig(
        vocab_size=VOCAB,
        **SHAPES[name],
        head_dim=64,
        max_position_embeddings=CONTEXT,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        tie_word_embeddings=True,
        **END_IDS,
        use_cache=False,
    )
    return LlamaForCausalLM(config)


def batches(library: Documents, tests: Documents, seed: int, size: int) -> Iterator[torch.Tensor]:
    """Yield [size, CONTEXT] ids for ever: documents shuffled and packed, then rows.

    The order depends on the seed alone, so a resumed run skips the batches it has seen.
    """
    rng = random.Random(seed)
    wanted = TEST_TOKENS_PER_LIBRARY_TOKEN * sum(map(len, library))
    while True:
        documents = list(library)
        taken = 0
        for document in rng.sample(tests, len(tests)):
            if taken >= wanted:
                break
            documents.append(document)
            taken += len(document)
        rng.shuffle(documents)
        stream = torch.cat(documents)
        rows = len(stream) // CONTEXT
        packed = stream[: rows * CONTEXT].view(rows, CONTEXT)
        order = rng.sample(range(rows), rows)
        for start in range(0, rows - size + 1, size):
            yield packed[order[start : start + size]]


def build_optimizer(model: LlamaForCausalLM, config: TrainConfig) -> torch.optim.AdamW:
    """Return an AdamW that decays the matrices and leaves the norms alone."""
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [
        {"params": matrices, "weight_decay": config.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.95), fused=True)


def train(
    model: LlamaForCausalLM,
    stream: Iterator[torch.Tensor],
    config: TrainConfig,
    checkpoint: Path,
    resume: bool,
) -> Progress:
    """Train until the budget is used; return the progress over all resumed parts together."""
    optimizer = build_optimizer(model, config)
    progress = Progress()
    if resume:
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        progress = Progress(**saved["progress"])
        for _ in range(progress.step):
            next(stream)

    # Measured on two cores at [4, 512] tokens: float32 4 k tokens/s, bfloat16 autocast 8 k,
    # compiled 12 k, compiled with eager attention (fused by the compiler) 18 k.
    model.set_attn_implementation("eager")
    forward = torch.compile(model.train(), dynamic=False)
    started = time.monotonic() - progress.seconds
    last_saved = progress.seconds
    bar = tqdm(total=100, initial=100 * progress.used(config), unit="%", mininterval=10.0)
    while (used := progress.used(config)) < 1.0:
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate_at(used)
        ids = next(stream)
        if used < config.short_share:
            ids = ids.view(-1, CONTEXT // 2)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = forward(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip_norm)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

        value = loss.item()
        progress.loss = value if progress.step == 0 else 0.98 * progress.loss + 0.02 * value
        progress.step += 1
        progress.tokens += ids.numel()
        progress.seconds = time.monotonic() - started
        millions = f"{progress.tokens / 1e6:.2f}M"
        bar.set_postfix(step=progress.step, loss=f"{progress.loss:.3f}", tokens=millions, refresh=False)
        bar.update(round(100 * progress.used(config), 2) - bar.n)
        if progress.seconds - last_saved >= config.checkpoint_seconds:
            last_saved = progress.seconds
            save_checkpoint(model, optimizer, progress, checkpoint)
    bar.close()
    save_checkpoint(model, optimizer, progress, checkpoint)
    return progress


def save_checkpoint(model: LlamaForCausalLM, optimizer: torch.optim.Optimizer, progress: Progress, path: Path) -> None:
    """Save to a temporary file beside the target: a run killed while saving keeps its previous checkpoint."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "progress": asdict(progress)}
    torch.save(state, partial)
    partial.replace(path)


def save_model(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, out: Path) -> None:
    """Save as bfloat16, and refuse to leave a file over SAFETENSORS_LIMIT."""
    model = model.to(torch.bfloat16)
    model.config.use_cache = True
    model.generation_config = GenerationConfig(**END_IDS)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    size = sum(path.stat().st_size for path in out.glob("*.safetensors"))
    if size > SAFETENSORS_LIMIT:
        raise RuntimeError(f"weights take {size} bytes, the limit is {SAFETENSORS_LIMIT}: use a smaller shape")


@torch.inference_mode()
def evaluate(directory: Path, held_out: list[str]) -> dict[str, float | int]:
    """Return the held-out perplexity in plain windows of CONTEXT tokens that do not overlap.

    Each module follows an end-of-text token. A window's input begins with the last token
    of the window before, so every token of every module is scored exactly once. float32.
    """
    tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, local_files_only=True).eval()
    nats, tokens = 0.0, 0
    for text in held_out:
        ids = torch.tensor([tokenizer.eos_token_id, *encode(tokenizer, text)])
        for start in range(0, len(ids) - 1, CONTEXT):
            window = ids[start : start + CONTEXT + 1]
            logits = model(input_ids=window[None, :-1], use_cache=False).logits[0]
            nats += torch.nn.functional.cross_entropy(logits, window[1:], reduction="sum").item()
            tokens += len(window) - 1
    size = sum(len(text.encode()) for text in held_out)
    return {
        "modules": len(held_out),
        "bytes": size,
        "tokens_scored": tokens,
        "nats_per_token": round(nats / tokens, 4),
        "perplexity": round(math.exp(nats / tokens), 3),
        "bits_per_byte": round(nats / math.log(2) / size, 4),
    }


@torch.inference_mode()
def complete(directory: Path, prompt: str, temperature: float, new_tokens: int = 96) -> str:
    """Return prompt and completion; temperature 0 is greedy."""
    tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, local_files_only=True)
    torch.manual_seed(0)
    sampling = {"do_sample": True, "temperature": temperature} if temperature else {"do_sample": False}
    inputs = tokenizer(prompt, return_tensors="pt", return_token_type_ids=False)
    out = model.generate(**inputs, max_new_tokens=new_tokens, **sampling)
    return tokenizer.decode(out[0], skip_special_tokens=True)


def write_card(name: str, out: Path, config: TrainConfig, progress: Progress, counts: dict[str, int | float]) -> None:
    """Fill the card's template from the run, its counts and scores, and fresh samples."""
    samples = "\n\n".join(
        f"{title}:\n\n```text\n{complete(out, prompt, temperature)}\n```"
        for prompt in SAMPLE_PROMPTS
        for title, temperature in (("Greedy", 0.0), ("Temperature 0.8", 0.8))
    )
    template = (MODELS / f"{name}.card.md").read_text(encoding="utf-8")
    card = template.format(
        **asdict(config),
        **asdict(progress),
        **counts,
        python=platform.python_version(),
        torch=torch.__version__,
        transformers=transformers.__version__,
        vocab=VOCAB,
        context=CONTEXT,
        short=CONTEXT // 2,
        cores=torch.get_num_threads(),
        millions=progress.tokens / 1e6,
        trained_minutes=progress.seconds / 60,
        test_share=TEST_TOKENS_PER_LIBRARY_TOKEN / (1 + TEST_TOKENS_PER_LIBRARY_TOKEN),
        held_out=", ".join(f"`{name}`" for name in HELD_OUT),
        samples=samples,
    )
    (out / "README.md").write_text(card, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train stdlib-lm, or evaluate a saved one.")
    parser.add_argument("--evaluate", type=Path, metavar="DIR", help="print held-out perplexity as JSON")
    parser.add_argument("--tokens", type=int, default=40_000_000, help="budget of the schedule")
    parser.add_argument("--minutes", type=float, default=math.inf, help="wall-clock budget of the schedule")
    parser.add_argument("--model", choices=SHAPES, default="stdlib-lm")
    parser.add_argument("--out", type=Path, help="the model's folder; by default below evals/models")
    parser.add_argument("--checkpoint", type=Path, help="file of the checkpoint; by default below /tmp")
    parser.add_argument("--resume", action="store_true", help="continue from --checkpoint")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    library_texts, test_texts, held_out = read_corpus()
    if args.evaluate:
        print(json.dumps(evaluate(args.evaluate, held_out)))
        return
    out = args.out or MODELS / args.model
    checkpoint = args.checkpoint or Path("/tmp") / args.model / "checkpoint.pt"
    config = TrainConfig(args.tokens, args.minutes, args.seed)
    if args.model == "stdlib-lm":
        tokenizer = train_tokenizer(library_texts)
    else:  # a resumed run must use the same tokenizer
        tokenizer = AutoTokenizer.from_pretrained(MODELS / "stdlib-lm", local_files_only=True)
    check_round_trip(tokenizer, held_out)
    library = encode_documents(tokenizer, library_texts)
    tests = encode_documents(tokenizer, test_texts)

    torch.manual_seed(config.seed)
    model = build_model(args.model)
    stream = batches(library, tests, config.seed, config.batch_size)
    progress = train(model, stream, config, checkpoint, args.resume)
    save_model(model, tokenizer, out)
    scores = evaluate(out, held_out)
    counts = {
        "library_files": len(library),
        "library_tokens": sum(map(len, library)),
        "test_files": len(tests),
        "test_tokens": sum(map(len, tests)),
    }
    write_card(args.model, out, config, progress, counts | scores)
    print(json.dumps(asdict(progress) | scores))


if __name__ == "__main__":
    main()
