"""Rows: completes a table of prompts, for `ray.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pyarrow as pa

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import ConfigError, InputError, RequestError, did_you_mean
from torchpaged.outputs import RequestOutput
from torchpaged.sampling_params import RequestOutputKind, SamplingParams
from torchpaged.serving.refusals import refusal_of
from torchpaged.serving.streams import every, last_of

# Columns that are added, under the names of `ray.data.llm`. Types are explicit because all blocks of a dataset must
# have the same ones, even a block whose errors are all None.
ADDED = {
    "generated_text": pa.string(),
    "generated_tokens": pa.list_(pa.int32()),
    "finish_reason": pa.string(),
    "num_input_tokens": pa.int64(),
    "num_generated_tokens": pa.int64(),
    "error": pa.string(),
}
_NAMES = {field.name for field in fields(SamplingParams)} - {"output_kind", "logits_processors"}


class RowCompleter:
    """Completion of tables, any number of them at once; rows of all of them run together.

    Args:
        llm: engine.
        sampling_params: defaults for all rows; None: the model's own.
        input_column: column of prompts: texts, lists of tokens, or conversations (lists of messages).
        params_column: column of sampling parameters, which override `sampling_params`; None: there is none.

    Raises:
        ConfigError: the parameters ask for more than one completion.
    """

    def __init__(
        self,
        llm: AsyncLLM,
        sampling_params: SamplingParams | Mapping[str, Any] | None = None,
        *,
        input_column: str = "prompt",
        params_column: str | None = None,
    ) -> None:
        self._llm, self._input_column, self._params_column = llm, input_column, params_column
        given = llm.default_params if sampling_params is None else sampling_params
        if isinstance(given, SamplingParams):
            self._params = replace(given, output_kind=RequestOutputKind.FINAL_ONLY)
        else:
            self._params = _changed(replace(llm.default_params, output_kind=RequestOutputKind.FINAL_ONLY), given)
        _require_one(self._params)

    async def complete(self, table: pa.Table) -> pa.Table:
        """Return the table with the columns of `ADDED`. A row that cannot run has only an `error`.

        Raises:
            InputError: not a table, or one without the expected columns.
            EngineDeadError: the engine has ended.
        """
        self._require_columns(table)
        inputs = table.column(self._input_column).to_pylist()
        given = [None] * len(inputs)
        if self._params_column is not None:
            given = table.column(self._params_column).to_pylist()
        rows = await every([self._row(*row) for row in zip(inputs, given, strict=True)])
        for name, kind in ADDED.items():
            table = table.append_column(pa.field(name, kind), pa.array([row.get(name) for row in rows], kind))
        return table

    def _require_columns(self, table: Any) -> None:
        if not isinstance(table, pa.Table):
            raise InputError(f"rows: expected a pyarrow.Table, got {type(table).__name__}: set batch_format='pyarrow'")
        for name in (self._input_column, self._params_column):
            if name is not None and name not in table.column_names:
                known = did_you_mean(name, table.column_names) or f", expected one of {', '.join(table.column_names)}"
                raise InputError(f"rows: there is no column {name!r}{known}")
        if taken := ADDED.keys() & set(table.column_names):
            raise InputError(f"rows: there is a column {min(taken)!r} already, needed for completions; rename it")

    async def _row(self, given: Any, own: Mapping[str, Any] | None) -> dict[str, Any]:
        try:
            params = self._params if own is None else _changed(self._params, own)
            _require_one(params)
            output = await last_of(self._llm.generate(await self._prompt(given), params))
        except (RequestError, ConfigError) as error:
            return {"error": str(refusal_of(error))}
        return _told(output)

    async def _prompt(self, given: Any) -> Any:
        if isinstance(given, list) and given and isinstance(given[0], Mapping):
            # In a column of structs every message has the fields of all, as None.
            messages = [{name: value for name, value in each.items() if value is not None} for each in given]
            return await self._llm.preprocess_chat(messages)
        if isinstance(given, str | list):
            return given
        raise RequestError(f"{self._input_column} is {given!r:.80}, expected a text, tokens or messages")


def _told(output: RequestOutput) -> dict[str, Any]:
    (completion,) = output.outputs
    if completion.finish_reason in ("error", "abort"):
        return {"error": completion.error or "the request was ended"}
    return {
        "generated_text": completion.text,
        "generated_tokens": completion.token_ids,
        "finish_reason": completion.finish_reason,
        "num_input_tokens": len(output.prompt_token_ids),
        "num_generated_tokens": len(completion.token_ids),
    }


def _changed(params: SamplingParams, given: Mapping[str, Any]) -> SamplingParams:
    """Override parameters with a row's; None, which tables have for missing values, keeps the default."""
    if unknown := given.keys() - _NAMES:
        name = min(unknown)
        raise ConfigError(f"sampling_params: unknown parameter {name!r}{did_you_mean(name, _NAMES)}")
    return replace(params, **{name: value for name, value in given.items() if value is not None})


def _require_one(params: SamplingParams) -> None:
    if params.n != 1:
        raise ConfigError(f"sampling_params: n is {params.n}, expected 1: a row has one completion; repeat the row")
