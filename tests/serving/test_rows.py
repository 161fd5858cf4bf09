"""Tables of prompts as Ray Data passes them to an actor, without Ray."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'torchpaged[ray]'")
pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")

import pyarrow as pa

from tests.fakes import FakeModel, FakeTokenizer, engine, follow
from tests.serving.harness import TEMPLATE
from torchpaged import AsyncLLM, SamplingParams
from torchpaged.errors import ConfigError, EngineDeadError, InputError
from torchpaged.serving.rows import ADDED, RowCompleter


class ChattingTokenizer(FakeTokenizer):
    """A tokenizer that concatenates messages."""

    chat_template = TEMPLATE

    def apply_chat_template(self, messages: Any, **options: Any) -> Any:
        """Return the text of one conversation or of several."""
        if isinstance(messages[0], list):
            return ["".join(each["content"] for each in one) for one in messages]
        return "".join(each["content"] for each in messages)


def completed(*tables: Any, model: FakeModel | None = None, **options: Any) -> list[Any]:
    """Return the outputs of tables that run at once."""
    return with_llm(lambda rows: asyncio.gather(*map(rows.complete, tables)), model, **options)


def with_llm(use: Callable[[RowCompleter], Any], model: FakeModel | None = None, **options: Any) -> Any:
    async def main() -> Any:
        llm = AsyncLLM.from_engine(engine(model, tokenizer=ChattingTokenizer(), max_num_seqs=4))
        try:
            found = await use(RowCompleter(llm, **options))
            await llm.call("check")
            return found
        finally:
            llm.shutdown()

    return asyncio.run(main())


def letters(tokens: list[int]) -> str:
    return "".join(chr(ord("a") + token) for token in tokens)


GREEDY = {"temperature": 0, "max_tokens": 5, "ignore_eos": True}


def test_texts_tokens_and_conversations() -> None:
    expected = follow([5, 6], 5)
    messages = [
        {"role": "user", "content": "f", "tool_calls": None},
        {"role": "user", "content": "g", "tool_calls": []},
    ]
    tables = [pa.table({"id": [7, 8], "prompt": [given] * 2}) for given in ("fg", [5, 6], messages)]
    for table, found in zip(tables, completed(*tables, sampling_params=GREEDY), strict=True):
        assert found.column_names == ["id", "prompt", *ADDED] and found.column("id").to_pylist() == [7, 8]
        assert found.select(["id", "prompt"]).equals(table)
        for row in found.to_pylist():
            assert row["generated_tokens"] == expected and row["generated_text"] == letters(expected)
            assert (row["finish_reason"], row["num_input_tokens"], row["num_generated_tokens"]) == ("length", 2, 5)
            assert row["error"] is None


def test_rows_that_cannot_run_do_not_end_the_others() -> None:
    prompts = ["fg", "f" * 200, None, "!", "", "fz"]

    class Poisoned(FakeModel):
        def forward(self, input_ids: Any, *rest: Any) -> Any:
            if 25 in input_ids.tolist():
                raise RuntimeError("secret")
            return super().forward(input_ids, *rest)

    (found,) = completed(pa.table({"prompt": prompts[:-1]}), sampling_params=GREEDY)
    rows = found.to_pylist()
    assert rows[0]["generated_tokens"] == follow([5, 6], 5) and rows[0]["error"] is None
    for row, says in zip(
        rows[1:], ("has 200 tokens", "expected a text", "the tokenizer failed", "prompt"), strict=True
    ):
        assert says in row["error"] and row["generated_text"] is row["generated_tokens"] is None
        assert "request '" not in row["error"]
    (found,) = completed(pa.table({"prompt": prompts[-1:]}), model=Poisoned(), sampling_params=GREEDY)
    assert "has failed twice" in found.to_pylist()[0]["error"]
    # Blocks of one dataset have one schema, whether all of their rows failed or none.
    assert found.schema.field("generated_text").type == pa.string() and found.schema.field("error").type == pa.string()


def test_parameters_of_rows() -> None:
    table = pa.table({"prompt": ["fg"] * 4, "own": [None, {"max_tokens": 2}, {"max_tokens": 3}, {"max_tokens": -1}]})
    (found,) = completed(table, sampling_params=SamplingParams(**GREEDY), params_column="own")
    assert [row["num_generated_tokens"] for row in found.to_pylist()] == [5, 2, 3, None]
    assert "max_tokens is -1" in found.to_pylist()[3]["error"]
    table = pa.table({"prompt": ["fg"] * 2, "own": [{"max_tokns": 1, "n": None}, {"max_tokns": None, "n": 2}]})
    (found,) = completed(table, params_column="own")
    assert "did you mean 'max_tokens'" in found.to_pylist()[0]["error"]


def test_seeded_rows_are_the_same_wherever_they_run() -> None:
    seeded = {"temperature": 1.5, "seed": 3, "max_tokens": 8, "ignore_eos": True}
    prompts = ["fg", "hij", "k", "lm"]
    (together,) = completed(pa.table({"prompt": prompts}), sampling_params=seeded)
    apart = completed(*[pa.table({"prompt": [each]}) for each in reversed(prompts)], sampling_params=seeded)
    texts = [table.column("generated_text")[0].as_py() for table in reversed(apart)]
    assert texts == together.column("generated_text").to_pylist()


@pytest.mark.parametrize(
    ("table", "options", "error", "says"),
    [
        ({"prompt": ["f"]}, {}, InputError, "batch_format='pyarrow'"),
        (pa.table({"promt": ["f"]}), {}, InputError, "no column 'prompt'; did you mean 'promt'"),
        (pa.table({"prompt": ["f"]}), {"params_column": "own"}, InputError, "no column 'own'"),
        (pa.table({"prompt": ["f"], "error": ["x"]}), {}, InputError, "a column 'error' already"),
        (pa.table({"prompt": ["f"]}), {"sampling_params": {"n": 2}}, ConfigError, "n is 2, expected 1"),
        (pa.table({"prompt": ["f"]}), {"sampling_params": {"max_tokns": 2}}, ConfigError, "did you mean 'max_tokens'"),
    ],
)
def test_what_is_refused(table: Any, options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        completed(table, **options)


def test_an_engine_that_has_ended_is_no_row_s_error() -> None:
    """Otherwise a job would continue and write nothing but errors."""

    async def main() -> None:
        llm = AsyncLLM.from_engine(engine(tokenizer=FakeTokenizer()))
        llm.shutdown()
        with pytest.raises(EngineDeadError):
            await RowCompleter(llm).complete(pa.table({"prompt": ["f"]}))

    asyncio.run(main())
