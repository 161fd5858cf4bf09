"""The package for C++ programs: the table's schemas, and operators that run without importing torchpaged."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import forks
from torchpaged.ops import cpp_text, library
from torchpaged.tools import cpp_package

# A process with torch alone: it knows the operators only from the library.
TORCH_ALONE = """
import json, sys, torch
torch.ops.load_library(sys.argv[1])
assert not any(name.startswith("torchpaged") for name in sys.modules)
schemas = {}
for name in json.loads(sys.argv[2]):
    packet, _, overload = name.partition(".")
    schemas[name] = str(getattr(getattr(torch.ops.torchpaged, packet), overload or "default")._schema)
pool = torch.arange(48.0).view(3, 4, 2, 2)
torch.ops.torchpaged.copy_blocks([pool], torch.tensor([[2, 1]]))
assert torch.equal(pool[1], pool[2]) and not torch.equal(pool[0], pool[2])
assert torch.equal(torch.ops.torchpaged_cpp.silu_and_mul(torch.zeros(2, 8), torch.ones(2, 8)), torch.zeros(2, 8))
try:
    torch.ops.torchpaged.copy_blocks([pool], torch.tensor([2, 1]))
except ValueError as error:
    print(json.dumps([schemas, str(error)]))
"""


def test_the_librarys_schemas_are_those_of_the_table(tmp_path: Path) -> None:
    package = cpp_package.write(tmp_path)
    names = [operator.overload for operator in library.OPERATORS]
    done = forks.run(TORCH_ALONE, str(package / "lib" / "libtorchpaged.so"), json.dumps(names), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found, refusal = json.loads(done.stdout)
    assert found == {each.overload: str(each.packet(library.NAMESPACE)._schema) for each in library.OPERATORS}
    assert refusal.startswith("copy_blocks: block_mapping has")
    assert sorted(path.relative_to(package).as_posix() for path in package.rglob("*.*")) == [
        "include/torchpaged/exported_model.h",
        "include/torchpaged/operators.h",
        "lib/cmake/torchpaged/torchpagedConfig.cmake",
        "lib/cmake/torchpaged/torchpagedConfigVersion.cmake",
        "lib/libtorchpaged.so",
        "lib/libtorchpaged_cpu.so",
    ]


def test_each_operator_is_a_function_of_the_header() -> None:
    functions = re.findall(r"^inline .*? (\w+)\(.*\) {$", cpp_text.header(), re.MULTILINE)
    assert functions == [operator.overload.replace(".", "_") for operator in library.OPERATORS]
    (out,) = (line for line in cpp_text.header().splitlines() if " paged_attention_out(" in line)
    assert out.index("at::Tensor& out") < out.index("scale = std::nullopt"), "what has a default comes last"


def test_what_keeps_it_from_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert cpp_package.main([str(tmp_path / "file")]) == 1
    assert "torchpaged: " in capsys.readouterr().err
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert cpp_package.main([str(tmp_path / "package")]) == 1
    assert "CXX is 'no-such-compiler', which was not found" in capsys.readouterr().err
