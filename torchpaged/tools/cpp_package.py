"""`python -m torchpaged.tools.cpp_package FOLDER`: writes a package for C++ programs that run the operators.

The folder gets `lib/libtorchpaged.so` (the schemas, and a copy of this machine's kernels), `include/torchpaged/` (a
function for each operator, and a loader of exported models) and `lib/cmake/torchpaged`, for `find_package(torchpaged)`.
It does not refer to this installation and needs no Python; the program links torch's libraries itself.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from torchpaged import __version__
from torchpaged.csrc import build
from torchpaged.ops import cpp_text
from torchpaged.utils import atomic_files

_KERNELS = "libtorchpaged_cpu.so"


def write(folder: Path) -> Path:
    """Write the package into a folder, and replace an earlier version there.

    Raises:
        BuildError: there is no compiler, there are no headers of torch, or compilation failed.
        OSError: the folder cannot be written to.
    """
    library, include, cmake = folder / "lib", folder / "include" / "torchpaged", folder / "lib" / "cmake" / "torchpaged"
    for each in (library, include, cmake):
        each.mkdir(parents=True, exist_ok=True)

    def copy(source: Path, target: Path) -> None:
        """Copy a file without modifying a library that a running program has loaded."""
        with atomic_files.replaced(target) as made:
            shutil.copyfile(source, made)

    copy(build.find() or build.build(), library / _KERNELS)
    build.build_schemas(cpp_text.schemas(__version__), library / _KERNELS, library / "libtorchpaged.so")
    atomic_files.write(include / "operators.h", cpp_text.header().encode())
    for header in (build.HERE / "include" / "torchpaged").iterdir():
        copy(header, include / header.name)
    copy(build.HERE / "cmake" / "torchpagedConfig.cmake", cmake / "torchpagedConfig.cmake")
    atomic_files.write(cmake / "torchpagedConfigVersion.cmake", _VERSION.encode())
    return folder


# Versions below 1.0 are not compatible with each other.
_VERSION = f"""\
set(PACKAGE_VERSION "{__version__}")
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION OR NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""


def main(arguments: list[str] | None = None) -> int:
    """Write the package and print its folder, for CMAKE_PREFIX_PATH."""
    return run(write, "cpp_package", str(__doc__), arguments)


def run(write: Callable[[Path], Path], name: str, description: str, arguments: list[str] | None) -> int:
    """Run the command `python -m torchpaged.tools.NAME FOLDER`, and return its exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m torchpaged.tools.{name}", description=description)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    try:
        print(write(given.folder).absolute())
    except (build.BuildError, OSError) as error:
        print(f"torchpaged: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
