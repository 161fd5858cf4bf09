"""`python -m torchpaged.tools.kernels_package FOLDER`: writes a kernel that the `kernels` package loads.

`kernels.get_local_kernel(FOLDER)` returns a module with FlashAttention's functions and all operators. It does not need
torchpaged: `build/` has two variants, one for this machine's CPU with its C++ library, and one for all other devices,
with Triton's kernels. A variant is a copy of the modules that define the operators, in an operator namespace of its
own, so that a process can load several versions beside an imported torchpaged.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import platform
import re
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from torchpaged import __version__
from torchpaged.csrc import build
from torchpaged.integrations import flash_attn
from torchpaged.ops import foreign, library
from torchpaged.tools.cpp_package import run
from torchpaged.utils import atomic_files

# What is loaded first, or by a name in a string.
_ROOTS = (
    "torchpaged.integrations.flash_attn",
    "torchpaged.ops",
    *(f"torchpaged.ops.{module}" for module, _ in foreign.BACKENDS.values()),
)
# Modules that have another place in a kernel.
_MOVED = {"torchpaged.integrations.flash_attn": "flash_attn"}
_IMPORT = re.compile(r"^( *from )(torchpaged[\w.]*)(?= import )", re.MULTILINE)
_LIBRARY = "libtorchpaged_cpu.so"


def write(folder: Path) -> Path:
    """Write the kernel into a folder; variants of an earlier version there are replaced.

    Raises:
        BuildError: there is no C++ library, and it could not be built.
        OSError: the folder cannot be written to.
    """
    shared = build.find() or build.build()
    major, minor = (int(build.TORCH_TARGET_VERSION[i : i + 2], 16) for i in (2, 4))
    cpu = f"torch-stable-abi{major}{minor}-cpu-{platform.machine()}-{platform.system().lower()}"
    _write_variant(folder / "build" / cpu, "cpu", {f"csrc/{_LIBRARY}": shared.read_bytes()})
    _write_variant(folder / "build" / "torch-universal", "cuda", {})
    atomic_files.write(folder / "README.md", _README.encode())
    return folder


def _write_variant(target: Path, backend: str, files: dict[str, bytes]) -> None:
    texts = {_file_of(module): _with_relative_imports(module) for module in _needed()}
    texts |= {"csrc/__init__.py": "", "csrc/build.py": _BUILD, "__init__.py": _INIT, "_ops.py": _OPS}
    digest = sha256("".join(texts.values()).encode())
    for contents in files.values():
        digest.update(contents)
    namespace = f"_torchpaged_{backend}_{digest.hexdigest()[:12]}"
    metadata = {
        "id": namespace,  # sys.modules has the kernel by this name
        "name": "torchpaged",
        "version": 1,
        "license": "Apache-2.0",
        "python-depends": [],
        "backend": {"type": backend},
    }
    files = files | {name: _in_namespace(text, namespace).encode() for name, text in texts.items()}
    files["metadata.json"] = json.dumps(metadata, indent=2).encode()
    with tempfile.TemporaryDirectory(prefix=".torchpaged-", dir=_made(target.parent)) as work:
        made = Path(work) / target.name
        for name, contents in files.items():
            _made((made / name).parent)
            (made / name).write_bytes(contents)
        if target.exists():  # a process that has loaded its library keeps the old file
            os.replace(target, Path(work) / "replaced")
        os.replace(made, target)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _needed() -> list[str]:
    """Return the roots and all modules of torchpaged that they import, those inside of functions included."""
    found: dict[str, None] = {}
    left = list(_ROOTS)
    while left:
        module = left.pop()
        if module in found or module.startswith("torchpaged.csrc") or _origin(module) is None:
            continue
        found[module] = None
        for node in ast.walk(ast.parse(_text(module))):
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("torchpaged"):
                left += [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
    return sorted(found.keys() - {"torchpaged"})


def _origin(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # a name inside of a module that is no package
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


def _text(module: str) -> str:
    origin = _origin(module)
    assert origin is not None
    return origin.read_text()


def _place(module: str) -> str:
    """Return a module's dotted name inside of a kernel."""
    for old, new in _MOVED.items():
        if module == old or module.startswith(f"{old}."):
            return new + module.removeprefix(old)
    return module.removeprefix("torchpaged").removeprefix(".")


def _file_of(module: str) -> str:
    path = _place(module).replace(".", "/")
    return f"{path}/__init__.py" if _is_package(module) else f"{path}.py"


def _is_package(module: str) -> bool:
    origin = _origin(module)
    return origin is not None and origin.name == "__init__.py"


def _with_relative_imports(module: str) -> str:
    """Return a module's text. A kernel has no name of its own, so its modules import each other by relative names."""
    depth = len(_place(module).split(".")) - (not _is_package(module))
    return _IMPORT.sub(lambda found: found[1] + "." * (depth + 1) + _place(found[2]), _text(module))


def _in_namespace(text: str, namespace: str) -> str:
    text = text.replace('NAMESPACE = "torchpaged"', f'NAMESPACE = "{namespace}"')
    return text.replace("torch.ops.torchpaged.", f"torch.ops.{namespace}.")


_BUILD = f'''"""Finds this kernel's C++ library."""

from pathlib import Path


class BuildError(RuntimeError):
    """A variant without kernels for CPUs."""


def find() -> Path | None:
    library = Path(__file__).parent / "{_LIBRARY}"
    return library if library.exists() else None


def build() -> Path:
    raise BuildError("this variant has none; it is for other devices")
'''

_OPS = '''"""This kernel's operators, under the names that kernels of the `kernels` package give them."""

import torch

from .ops.operator import NAMESPACE

ops = getattr(torch.ops, NAMESPACE)


def add_op_namespace_prefix(op_name: str) -> str:
    return f"{NAMESPACE}::{op_name}"
'''

_NAMES = tuple(name for name in library.NAMES if name not in dir(flash_attn))
_INIT = f'''"""torchpaged {__version__}: operators for paged attention, and FlashAttention's functions over them."""

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="torchpaged: the C.. kernels are not available")  # on other devices
    from . import ops as _registry  # defines the operators

from ._ops import add_op_namespace_prefix, ops
from .flash_attn import (
{"".join(f"    {name},{chr(10)}" for name in flash_attn.__all__)})

{"".join(f"{name} = ops.{name}{chr(10)}" for name in _NAMES)}
__all__ = {json.dumps([*flash_attn.__all__, *_NAMES, "add_op_namespace_prefix", "ops"], indent=4)}
'''

_README = f"""\
# torchpaged {__version__} for the `kernels` package

    from kernels import get_local_kernel

    kernel = get_local_kernel(Path("THIS FOLDER"))
    kernel.flash_attn_with_kvcache(q, k_cache, v_cache, cache_seqlens=lengths, block_table=table)
    kernel.paged_attention(query, key_cache, value_cache, block_tables, seq_lens, query_start_loc)

transformers loads it by a name that the environment maps to this folder:

    LOCAL_KERNELS=torchpaged/flash-attn2=THIS_FOLDER python program.py

where the program says `attn_implementation="torchpaged/flash-attn2"`. Made by `python -m
torchpaged.tools.kernels_package`; `help(kernel.paged_attention)` has shapes and dtypes.
"""


def main(arguments: list[str] | None = None) -> int:
    """Write the kernel and print its folder, for LOCAL_KERNELS."""
    return run(write, "kernels_package", str(__doc__), arguments)


if __name__ == "__main__":
    sys.exit(main())
