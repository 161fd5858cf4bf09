"""The commands `torchpaged receipt-key` and `torchpaged verify`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from torchpaged.errors import InputError
from torchpaged.receipts import PublicKey, SigningKey, Verdict, receipt, verify_receipts
from torchpaged.receipts.receipt import ReceiptError, parse_json
from torchpaged.receipts.verifier import BATCH
from torchpaged.tools import arguments, cli_utils
from torchpaged.tools.adapters import Adapters

# A receipt with the name of its file and line, or the reason why there is none.
Found = tuple[str, "dict[str, Any] | ReceiptError"]
# Exit status if a text differs, and if none does but some were refused.
_DIFFERS, _REFUSED = 1, 3
# More than any machine has: torch starts as many as it is told to.
_MOST_THREADS = 1024
# Fields of a request that has messages, which a line of --prompts may have.
_OF_CHATS = (
    *("messages", "tools", "chat_template_kwargs"),
    *("add_generation_prompt", "continue_final_message"),
)


def make_key(given: argparse.Namespace) -> int:
    """Run `torchpaged receipt-key`: print the public key of a file, which is made if it is not there."""
    if given.file.exists():
        key = SigningKey.load(given.file)
    else:
        cli_utils.require_writable(given.file, "receipt-key")
        key = SigningKey.generate()
        key.save(given.file)
        cli_utils.say(f"{given.file} is a new key, for torchpaged serve --receipt-key; its public key is")
    print(key.public.hex)
    return 0


def verify(given: argparse.Namespace) -> int:
    """Run `torchpaged verify`; return 0 if all texts are the same, 1 if one differs, 3 if some were only refused."""
    keys = None if given.public_key is None else [PublicKey.of(each) for each in given.public_key]
    batch_size = BATCH if given.batch_size is None else given.batch_size
    if batch_size < 1:
        raise InputError(f"--batch-size {batch_size}: expected 1 or more")
    if given.threads is not None and not 1 <= given.threads <= _MOST_THREADS:
        raise InputError(f"--threads {given.threads}: expected 1 to {_MOST_THREADS}")
    for path in given.receipts:
        _open(path).close()  # a mistyped name is reported before the model is loaded
    prompts = [] if given.prompts is None else list(_prompts(given.prompts))
    settings = arguments.engine_settings(given)
    if given.chat_template is not None:
        settings["chat_template"] = given.chat_template
    adapters = Adapters(given.lora_modules or ())
    if given.threads is not None:
        import torch

        torch.set_num_threads(given.threads)
    llm = cli_utils.load_llm(given.model, settings)
    adapters.load(llm)
    found, names = _named(each for path in given.receipts for each in read_receipts(path))
    counts = Counter[str]()
    for verdict in verify_receipts(llm, found, prompts=prompts, public_keys=keys, batch_size=batch_size):
        counts[verdict.status] += 1
        _show(next(names), verdict, quiet=given.quiet)
    if not counts:
        raise InputError(f"{given.receipts[0]}: no receipts in it")
    told = ", ".join(f"{counts[status]} {status}" for status in ("same", "differs", "refused") if counts[status])
    unknown = "; whose keys they are was not checked: give --public-key" if keys is None and counts["same"] else ""
    cli_utils.say(f"{told}{unknown}")
    return _DIFFERS if counts["differs"] else _REFUSED if counts["refused"] else 0


def _show(name: str, verdict: Verdict, *, quiet: bool) -> None:
    if quiet and verdict.status == "same":
        return
    count = "" if verdict.receipt is None else f", {verdict.receipt.fields['output']['num_tokens']} tokens"
    print(f"{name}: {verdict.status}{count if verdict.status == 'same' else ': ' + verdict.reason}", flush=True)


def _named(found: Iterator[Found]) -> tuple[Iterator[Any], Iterator[str]]:
    """Split receipts and their names."""
    names: list[str] = []

    def receipts() -> Iterator[Any]:
        for name, each in found:
            names.append(name)
            yield each

    def told() -> Iterator[str]:
        while True:
            yield names.pop(0)

    return receipts(), told()


def read_receipts(path: Path) -> Iterator[Found]:
    """Yield the receipts of a file: one JSON value, or one per line; answers give the receipts in them.

    Raises:
        InputError: the file cannot be read.
    """
    with _open(path) as file:
        lines = _lines(file)
        for number, (line, whole) in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                if not whole:
                    raise ReceiptError(f"it has more than {receipt.MOST_BYTES >> 20} MiB")
                value = parse_json(line)
            except ReceiptError as error:
                rest = b"" if number > 1 else file.read(receipt.MOST_BYTES + 1 - len(line))
                if not rest:
                    yield f"{path}:{number}", error
                    continue
                try:  # an object over several lines
                    value = parse_json(line + rest)
                except ReceiptError:
                    yield f"{path}:{number}", error
                    file.seek(len(line))
                    continue
                yield from _with_place(str(path), value)
                return
            yield from _with_place(f"{path}:{number}", value)


def _with_place(where: str, value: Any) -> Iterator[Found]:
    found = list(_receipts_in(value))
    if not found:
        yield where, ReceiptError("there is no receipt in it")
    for number, each in enumerate(found):
        yield where if len(found) == 1 else f"{where}[{number}]", each


def _receipts_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the receipts in a value: itself, those of an answer, or of an answer in a line of run-batch's output."""
    if not isinstance(value, dict):
        return
    if "format" in value:
        yield value
    elif isinstance(value.get("receipt"), dict):
        yield value["receipt"]
    elif isinstance(value.get("choices"), list):
        for choice in value["choices"]:
            if isinstance(choice, dict) and isinstance(choice.get("receipt"), dict):
                yield choice["receipt"]
    elif isinstance(value.get("response"), dict) and isinstance(value["response"].get("body"), dict):
        body = value["response"]["body"]
        yield from _receipts_in({name: body[name] for name in ("receipt", "choices") if name in body})


def _lines(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield the lines of a file; of one that is too long its beginning, and False."""
    while line := file.readline(receipt.MOST_BYTES + 1):
        is_whole = len(line) <= receipt.MOST_BYTES
        yield line, is_whole
        while not is_whole and line and not line.endswith(b"\n"):
            line = file.readline(receipt.MOST_BYTES)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _prompts(path: Path) -> Iterable[Any]:
    """Yield the prompts of a file, as `verify_receipts` takes them."""
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            where = f"--prompts {path}, line {number}"
            try:
                value = parse_json(line)
            except ReceiptError as error:
                raise InputError(f"{where}: {error}") from None
            if isinstance(value, dict) and isinstance(value.get("messages"), list):
                yield {name: value[name] for name in _OF_CHATS if value.get(name) is not None}
            elif isinstance(value, dict) and isinstance(value.get("prompt"), (str, list)):
                yield value["prompt"]
            else:
                raise InputError(f'{where}: expected an object with "prompt", a text or token ids, or "messages"')
