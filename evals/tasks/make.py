"""Make the offline tasks' data from standard library modules that stdlib-lm was not trained on.

    python evals/tasks/make.py

The committed files were made with Python 3.11's library; another version's gives other lines.
"""

from __future__ import annotations

import json
import random
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.train_stdlib_lm import HELD_OUT

DATA = Path(__file__).parent / "data"
Documents = list[dict[str, Any]]


def sources() -> dict[str, str]:
    """Return the held-out modules' texts."""
    root = Path(sysconfig.get_path("stdlib"))
    return {name: (root / name).read_text(encoding="utf-8") for name in HELD_OUT}


def code_lines(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield (the six lines before, a line) for lines of code with content."""
    lines = text.splitlines()
    for i in range(6, len(lines)):
        line = lines[i]
        if len(line.strip()) >= 12 and len(line) <= 60 and not line.strip().startswith(("#", '"', "'")):
            yield lines[i - 6 : i], line


def next_line(texts: dict[str, str], rng: random.Random, count: int) -> Documents:
    """Make multiple-choice documents: the next line, and three other lines of the same module."""
    documents = []
    names = sorted(texts)
    for index in range(count):
        found = list(code_lines(texts[names[index % len(names)]]))
        before, right = rng.choice(found)
        indent = len(right) - len(right.lstrip())
        others = {line for _, line in found if line != right and line not in before}
        alike = sorted(line for line in others if len(line) - len(line.lstrip()) == indent)
        choices = [right, *rng.sample(alike if len(alike) >= 3 else sorted(others), 3)]
        rng.shuffle(choices)
        documents.append({"before": "\n".join(before), "choices": choices, "label": choices.index(right)})
    return documents


def pages(texts: dict[str, str], size: int) -> Documents:
    """Split the modules into pages of about `size` characters, cut between lines."""
    documents: Documents = []
    for name in sorted(texts):
        page, start = "", 0
        for line in texts[name].splitlines(keepends=True):
            page += line
            if len(page) >= size:
                documents.append({"module": name, "page": start, "text": page})
                page, start = "", start + 1
    return documents


def complete_line(texts: dict[str, str], rng: random.Random, count: int) -> Documents:
    """Make documents that ask for the end of a line whose words occur in the lines before it."""
    documents: Documents = []
    names = sorted(texts)
    while len(documents) < count:
        lines = texts[names[len(documents) % len(names)]].splitlines()
        i = rng.randrange(20, len(lines))
        line, before = lines[i], "\n".join(lines[max(0, i - 20) : i])
        cut = len(line) // 2
        while cut < len(line) and (line[cut].isalnum() or line[cut] in "_ "):
            cut += 1
        rest = line[cut:]
        if len(rest.strip()) >= 3 and line.lstrip()[:1] not in '#"' and rest.strip() in before:
            documents.append({"before": before + "\n" + line[:cut], "rest": rest})
    return documents


# One or two tokens each; as a list they would fill a page.
WORDS = """
    abs all any bind blue build call check close copy data drop emit file find flush free green hash item join keep len
    line list load lock make map max min mode move name next node open parse path peek poll pow prev pull push read red
    round run save seek send size skip sort split start state stop sum tell test text time type value wait word write
    zip
""".split()  # noqa: SIM905


def recall(rng: random.Random, lines: int, pages: int) -> Documents:
    """Make pages of attributes with distinct first words, and for each attribute the question how it goes on.

    The right word follows the first word in one block of the page only, and the wrong ones are the ends of other lines:
    each block of the page decides an answer.
    """
    documents: Documents = []
    for _ in range(pages):
        begins = rng.sample(WORDS, lines)
        ends = [rng.choice(WORDS) for _ in begins]
        page = "".join(f"    self.{a}_{b} = None\n" for a, b in zip(begins, ends, strict=True))
        for line, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            choices = [end, *rng.sample(sorted(set(ends) - {end}), 3)]
            rng.shuffle(choices)
            documents.append(
                {"page": page, "begin": begin, "choices": choices, "label": choices.index(end), "line": line}
            )
    return documents


def write(name: str, documents: Documents) -> None:
    """Write one JSON object per line."""
    path = DATA / f"{name}.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    print(f"{path}: {len(documents)} documents, {path.stat().st_size >> 10} KiB")


def main() -> None:
    texts = sources()
    DATA.mkdir(exist_ok=True)
    lines = next_line(texts, random.Random(0), 205)
    write("next_line_shots", lines[:5])
    write("next_line", lines[5:])
    write("pages", pages(texts, 6000)[::5])
    write("complete_line", complete_line(texts, random.Random(1), 100))
    write("recall", recall(random.Random(2), 64, 2))


if __name__ == "__main__":
    main()
