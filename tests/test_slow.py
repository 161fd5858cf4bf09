"""The list of slow tests names tests that are there, each once."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_line_names_a_test() -> None:
    lines = [line for line in (ROOT / "tests/slow.txt").read_text().splitlines() if not line.startswith("#")]
    assert lines == sorted(set(lines))
    for line in lines:
        path, _, name = re.sub(r"^1/\d+ ", "", line).partition("::")
        source = (ROOT / path).read_text()
        function = name.partition("[")[0].rpartition("::")[2]
        assert re.search(rf"^\s*(async )?def {function}\(", source, re.MULTILINE), line
