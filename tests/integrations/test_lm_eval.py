"""The lm-eval adapter compared with lm-eval's hf backend: the same scores, texts and metrics."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer

from tests import models, vision_models

pytest.importorskip("lm_eval")
pytest.importorskip("accelerate")

import lm_eval
from lm_eval import evaluator
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

from torchpaged import SamplingParams, cli
from torchpaged.errors import ConfigError, EngineError, InputError, RequestError
from torchpaged.integrations.lm_eval.adapter import TorchPagedLM, _with_model

ROOT = Path(__file__).resolve().parents[2]
TASKS = Path(lm_eval.__file__).parent / "tasks"


@pytest.fixture(scope="module")
def ours() -> TorchPagedLM:
    return TorchPagedLM(str(models.STDLIB_LM), dtype="float32")


@pytest.fixture(scope="module")
def theirs() -> HFLM:
    """Return hf without its cache of logits, which in 0.4.13 scores a continuation by another's row if two requests are
    the same tokens, divided at different places."""
    return HFLM(str(models.STDLIB_LM), dtype="float32", device="cpu", batch_size=8, logits_cache=False)


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Change to the repository, to which data paths are relative; skip lm-eval's description of the machine."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(evaluator, "add_env_info", lambda results: None)
    yield


def instances(kind: str, arguments: list[tuple[Any, ...]]) -> list[Instance]:
    return [
        Instance(request_type=kind, doc={}, arguments=each, idx=0)  # type: ignore[arg-type]
        for each in arguments
    ]


def run(lm: Any, task: str, folder: Path, limit: int | None) -> tuple[dict[str, Any], list[Any]]:
    """Return (metrics, responses) of one task."""
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found = lm_eval.simple_evaluate(
        lm, tasks=[task], task_manager=manager, limit=limit, bootstrap_iters=0, verbosity=None
    )
    responses = [sample["resps"] for sample in sorted(found["samples"][task], key=lambda sample: sample["doc_id"])]
    return found["results"][task], responses


def assert_same(ours: Any, theirs: Any, task: str, folder: Path, limit: int | None = None) -> dict[str, Any]:
    """Check that both have the same metrics and responses, log-likelihoods within 1e-4; return the metrics."""
    (metrics, responses), (expected, expected_responses) = (run(lm, task, folder, limit) for lm in (ours, theirs))
    numbers = [{k: v for k, v in each.items() if isinstance(v, float)} for each in (metrics, expected)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-6)
    for own, other in zip(responses, expected_responses, strict=True):
        for (mine,), (their,) in zip(own, other, strict=True):
            if isinstance(mine, tuple):
                assert mine == (pytest.approx(their[0], abs=1e-4), their[1])
            else:
                # A page's log-likelihood is a sum over a thousand tokens or more, which hf makes in float32.
                assert mine == (pytest.approx(their, rel=1e-6) if isinstance(mine, float) else their)
    return metrics


@pytest.mark.parametrize(
    ("task", "limit", "metric"),
    [
        ("stdlib_next_line", 4, "acc,none"),
        ("stdlib_recall", 6, "acc,none"),
        ("stdlib_pages", 1, "bits_per_byte,none"),
        ("stdlib_complete_line", 8, "exact_match,none"),
    ],
)
def test_offline_tasks(ours: TorchPagedLM, theirs: HFLM, task: str, limit: int, metric: str) -> None:
    assert 0 < assert_same(ours, theirs, task, ROOT / "evals" / "tasks", limit)[metric] < 2


QUESTION = {"question": "Which word comes before beta?", "answer": 0, "choices": ["alpha", "gamma", "a list", "None"]}
SHAPES: dict[str, tuple[str, list[dict[str, Any]], dict[str, Any]]] = {
    "hellaswag": (
        "hellaswag/hellaswag.yaml",
        [
            {
                "activity_label": "Reading files",
                "ctx_a": f"A function opens a {word}.",
                "ctx_b": "it",
                "endings": ["reads [title] the lines.", "returns None.", "raises ValueError.", "is  closed."],
                "label": str(index % 4),
            }
            for index, word in enumerate(("file", "pipe", "queue"))
        ],
        {"validation_split": "test", "training_split": None},
    ),
    "arc": (
        "arc/arc_easy.yaml",
        [
            {
                "question": f"What does {name} return?",
                "choices": {"text": ["a list", "a dict", "None"], "label": ["A", "B", "C"]},
                "answerKey": key,
            }
            for name, key in (("sorted", "A"), ("print", "C"), ("vars", "B"))
        ],
        {"validation_split": None, "training_split": None},
    ),
    "mmlu": (
        "mmlu/default/mmlu_anatomy.yaml",
        [{**QUESTION, "answer": i, "question": f"{QUESTION['question']} ({i})"} for i in range(4)],
        {"fewshot_split": "test", "num_fewshot": 2},
    ),
    "gsm8k": (
        "gsm8k/gsm8k.yaml",
        [{"question": f"What is {n} plus {n}?", "answer": f"Twice {n}.\n#### {2 * n}"} for n in range(3, 7)],
        {
            "training_split": None,
            "fewshot_split": "test",
            "num_fewshot": 2,
            "generation_kwargs": {"until": ["Question:"], "max_gen_toks": 20, "do_sample": False, "temperature": 0.0},
        },
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_lm_evals_own_tasks(ours: TorchPagedLM, theirs: HFLM, tmp_path: Path, shape: str) -> None:
    """lm-eval's definitions with a local file instead of the hub's data."""
    source, documents, changes = SHAPES[shape]
    data = tmp_path / "test.jsonl"
    data.write_text("".join(json.dumps(document) + "\n" for document in documents))
    definition = {
        "include": str(TASKS / source),
        "task": f"local_{shape}",
        "dataset_path": "json",
        "dataset_name": None,
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        **changes,
    }
    (tmp_path / "task.yaml").write_text(json.dumps(definition))  # JSON is YAML
    assert_same(ours, theirs, f"local_{shape}", tmp_path)


# --- Rules of the hf backend ------------------------------------------------------------------------------


def both(ours: Any, theirs: Any, kind: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
    """Return both backends' answers, ours first; a duplicate request is computed once."""
    return [getattr(lm, kind)(instances(kind, arguments), disable_tqdm=True) for lm in (ours, theirs)]


def test_log_likelihoods_follow_hf(ours: TorchPagedLM, theirs: HFLM) -> None:
    """No context, spaces between, too long a context, one token, equal requests, the tokenizer's special tokens."""
    long = "x = [" + "1, 2, " * 600
    arguments = [
        ("", "import os"),
        ("", "<|endoftext|>import"),
        ("import os ", "import sys"),
        ("import os\n", "import sys"),
        ("<|endoftext|>import", " os"),
        (long, "3]"),
        (long, "1, 2, 3]\n" * 20),
        *(("def main(", answer) for answer in ("self):", "args):", "self", "self):", "self, args):")),
    ]
    own, other = both(ours, theirs, "loglikelihood", arguments)
    for mine, their in zip(own, other, strict=True):
        assert mine == (pytest.approx(their[0], abs=1e-4 * max(1.0, abs(their[0]) / 100)), their[1])
    before = ours.llm.stats().num_computed_tokens
    again = ours.loglikelihood(instances("loglikelihood", arguments), disable_tqdm=True)
    for now, then in zip(again, own, strict=True):  # float32 products are rounded by the number of their rows
        assert now == (pytest.approx(then[0], rel=1e-5), then[1])
    # Found in the cache: all but what the logits are needed of.
    assert ours.llm.stats().num_computed_tokens - before < 700


def test_rolling_windows_follow_hf(ours: TorchPagedLM, theirs: HFLM) -> None:
    source = Path(subprocess.__file__).read_text()
    texts = [(source[:200],), (source[:9000],), (source[:200],), ("a",)]
    own, other = both(ours, theirs, "loglikelihood_rolling", texts)
    assert own == pytest.approx(other, rel=1e-6, abs=1e-4)
    assert own[0] == own[2]


def test_generation_follows_hf(ours: TorchPagedLM, theirs: HFLM) -> None:
    arguments = [
        ("import os\nimport", {"until": ["\n"], "max_gen_toks": 8}),
        ("def main(", {"until": ["):", "zzz"], "max_gen_toks": 24}),
        ("def main(", {"until": "self", "max_new_tokens": 24, "temperature": 0.0}),
        ("x = [" + "1, 2, " * 600, {"until": [], "max_gen_toks": 5, "do_sample": False}),
        ("class Queue:\n    def", {"until": ["\n\n"], "max_gen_toks": 24, "repetition_penalty": 1.3}),
    ]
    own, other = both(ours, theirs, "generate_until", arguments)
    assert own == other and len(own[3].split(",")) > 1


def test_tasks_with_images(tmp_path: Path) -> None:
    """The answers are those of the prompts in `LLM.generate`, as a text and as a chat; other items are refused."""
    made = vision_models.build("llava")
    made.processor.tokenizer.chat_template = (  # type: ignore[attr-defined]
        "{% for m in messages %}{% for p in m.content %}{% if p.type == 'image' %}<image>{% else %}{{ p.text }}"
        "{% endif %}{% endfor %}{% endfor %}:"
    )
    vision_models.save(made, tmp_path)
    lm, images = TorchPagedLM(str(tmp_path), dtype="float32", num_blocks=200), list(map(vision_models.image, (1, 2)))
    assert lm.MULTIMODAL
    arguments = {"until": ["zzz"], "max_gen_toks": 5}
    text = "What is <image> or <image>?"
    params = SamplingParams(temperature=0, max_tokens=5, stop_token_ids=[lm.eot_token_id])
    for chatted in (False, True):
        context = lm.apply_chat_template([{"role": "user", "content": text}]) if chatted else text
        assert context == text + (":" if chatted else "")
        asked = [(context, arguments, {"visual": images}), ("import os", arguments)]
        own = lm.generate_until(instances("generate_until", asked), disable_tqdm=True)
        prompts: list[Any] = [{"prompt": context, "multi_modal_data": {"image": images}}, "import os"]
        assert own == [each.outputs[0].text for each in lm.llm.generate(prompts, params, use_tqdm=False)]
    with pytest.raises(ConfigError, match="items of type audio, and the model reads image"):
        sound = {"array": [0.0] * 9, "sampling_rate": 16000}
        lm.generate_until(instances("generate_until", [("<audio>", arguments, {"audio": [sound]})]))
    with pytest.raises(ConfigError, match="can only generate"):
        lm.loglikelihood(instances("loglikelihood", [("a", "b", {"visual": images})]))


def test_generation_does_not_depend_on_guesses() -> None:
    plain = TorchPagedLM(str(models.STDLIB_LM), dtype="bfloat16")
    guessing = TorchPagedLM(str(models.STDLIB_LM), dtype="bfloat16", speculative_config='{"method": "suffix"}')
    assert guessing.llm.engine.scheduler.drafter is not None
    guessing.llm.engine.scheduler.drafter.costs.step = None  # all guesses are tried, independent of timings
    arguments = [
        ("import os\nimport", {"until": ["\n\n"], "max_gen_toks": 60}),
        ("def main(", {"until": ["zzz"], "max_gen_toks": 80}),
        ("class Queue:\n    def", {"until": ["return"], "max_gen_toks": 80, "temperature": 0.7, "do_sample": True}),
    ]
    asked = [lm.generate_until(instances("generate_until", arguments), disable_tqdm=True) for lm in (plain, guessing)]
    drafts = guessing.llm.stats().drafts
    assert asked[0] == asked[1] and drafts is not None and drafts.accepted > 20
    with pytest.raises(ConfigError, match="speculative_config is 'suffix', expected JSON as"):
        TorchPagedLM(str(models.STDLIB_LM), speculative_config="suffix")


def test_chat_templates_and_thinking() -> None:
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    tokenizer.chat_template = (
        "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "# {{ m['role'] }}{{ ' (thinks)' if enable_thinking }}\n{{ m['content'] }}\n{% endfor %}"
        "{% if add_generation_prompt %}# assistant\n{% endif %}"
    )
    lm = TorchPagedLM(str(models.STDLIB_LM), tokenizer, enable_thinking=True, think_end_token=")")
    messages = [{"role": "system", "content": "no"}, {"role": "user", "content": "def main("}]
    text = lm.apply_chat_template(messages)
    assert text == "# user (thinks)\ndef main(\n# assistant\n" and lm.chat_template(True) == tokenizer.chat_template
    request = ("def main(", {"until": ["\n"], "max_gen_toks": 12})
    plain = TorchPagedLM(str(models.STDLIB_LM))
    (whole,) = plain.generate_until(instances("generate_until", [request]), disable_tqdm=True)
    (behind,) = lm.generate_until(instances("generate_until", [request]), disable_tqdm=True)
    assert ")" in whole and whole.split(")")[-1].lstrip() == behind
    lm.think_end_token = tokenizer(")")["input_ids"][0]
    assert lm._answer([5, lm.think_end_token, *tokenizer(" x = 1")["input_ids"]], []) == "x = 1"
    with pytest.raises(ConfigError, match="enable_thinking is for tasks that generate"):
        lm.loglikelihood(instances("loglikelihood", [("a", "b")]))


# --- Bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"colour": "int8"}, "unknown argument 'colour', expected one of pretrained, tokenizer, batch_size"),
        ({"kv_cache_type": "int8"}, "unknown argument 'kv_cache_type'; did you mean 'kv_cache_dtype'"),
        ({"kv_cache_dtype": "int9"}, "kv_cache_dtype is 'int9'"),
        ({"batch_size": "many"}, "batch_size is 'many', expected 'auto' or an integer"),
        ({"max_length": 64, "max_model_len": 65}, "they are the same"),
        ({"max_length": 4096}, "max_model_len is 4096, the model has 1024 positions"),
        ({"enable_thinking": True}, "needs think_end_token"),
    ],
)
def test_arguments_are_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        TorchPagedLM(str(models.STDLIB_LM), **arguments)


def test_requests_are_refused(ours: TorchPagedLM, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, says in (
        ([("import os", "")], "continuation '' of request 0 has 0 tokens"),
        ([("import", " os"), ("", "")], "continuation '' of request 1 has 0 tokens"),
        ([("a", "1, 2, " * 600)], "expected 1 to max_length, 1024"),
    ):
        with pytest.raises(RequestError, match=says):
            ours.loglikelihood(instances("loglikelihood", arguments), disable_tqdm=True)
    for generation, says in (
        ({"max_gen_toks": 1024}, "max_gen_toks is 1024, expected less than max_length, 1024"),
        ({"num_beams": 4}, "num_beams is 4, expected 1"),
        ({"typical_p": 0.5}, "unknown generation argument 'typical_p'"),
        ({"do_sample": True}, "expected a temperature above 0"),
    ):
        with pytest.raises((RequestError, ConfigError), match=says):
            ours.generate_until(instances("generate_until", [("a", generation)]), disable_tqdm=True)
    with pytest.raises(RequestError, match="token id 4096, expected 0 to 4095"):
        ours._loglikelihood_tokens([(("a", "b"), [5], [4096])], disable_tqdm=True)
    forward = ours.llm.engine.model.forward
    with monkeypatch.context() as patch:
        patch.setattr(ours.llm.engine.model, "forward", lambda *a: forward(*a) * torch.nan)
        ours.llm.reset_prefix_cache()
        with pytest.raises(EngineError, match="logits are NaN"):
            ours.loglikelihood(instances("loglikelihood", [("def", " a")]), disable_tqdm=True)
    ours.llm.reset_prefix_cache()
    assert not ours.llm.engine.has_unfinished_requests


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown task and an unknown argument are named; a folder after --model is the model."""
    words = ["eval", "--include_path", "evals/tasks", "--tasks"]
    assert cli.main([*words, "stdlib_nothing", "--model", str(models.STDLIB_LM)]) == 2
    assert capsys.readouterr().err.endswith("torchpaged: eval: Tasks not found: stdlib_nothing\n")
    assert cli.main([*words, "stdlib_recall", "--model_args", f"pretrained={models.STDLIB_LM},colour=red"]) == 2
    assert "unknown argument 'colour'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--tasks", "a"], ["--model", "torchpaged", "--tasks", "a"]),
        (["--tasks", "a", "--model", "hf"], ["--tasks", "a", "--model", "hf"]),
        (["--model", "evals", "-t", "a"], ["--model", "torchpaged", "--model_args", "pretrained=evals", "-t", "a"]),
        (["--config", "a.yaml"], ["--config", "a.yaml"]),
        (["-t", "a", "--trust-remote-code"], ["--model", "torchpaged", "-t", "a", "--trust_remote_code"]),
        (
            ["--lora", "sql=a b", "-t", "a"],
            ["--model", "torchpaged", "-t", "a", "--model_args", '{"lora_local_path": "a b"}'],
        ),
        (["--lora=sql=b"], ["--model", "torchpaged", "--model_args", '{"lora_local_path": "b"}']),
    ],
)
def test_the_model_may_be_left_out(words: list[str], expected: list[str]) -> None:
    assert _with_model(words) == expected


@pytest.mark.parametrize("words", [["--lora"], ["--lora", "a=b", "--lora", "c=d"], ["--lora", "a"]])
def test_an_adapter_is_named_once(words: list[str]) -> None:
    with pytest.raises((InputError, ConfigError), match=r"expected (--lora )?NAME=PATH"):
        _with_model(words)
