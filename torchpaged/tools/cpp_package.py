"""`python -m torchpaged.tools.cpp_package FOLDER`: what a C++ program links to run the operators without Python.

The folder gets `lib/libtorchpaged.so` (the schemas, and behind it the kernels, a copy of this machine's library),
`include/torchpaged/` (a function for each operator; exported models) and `lib/cmake/torchpaged`, for
`find_package(torchpaged)`. Nothing in it leads back to this installation; torch's libraries are the caller's to give.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from torchpaged import __version__
from torchpaged.csrc import build
from torchpaged.ops import cpp_text
from torchpaged.utils import atomic_files

_KERNELS = "libtorchpaged_cpu.so"


def write(folder: Path) -> Path:
    """Fills a folder, which is made if need be; what is there of an earlier version is replaced.

    Raises:
        BuildError: no compiler, no headers of torch, or a compiler that failed.
        OSError: the folder cannot be written to.
    """
    library, include, cmake = folder / "lib", folder / "include" / "torchpaged", folder / "lib" / "cmake" / "torchpaged"
    for each in (library, include, cmake):
        each.mkdir(parents=True, exist_ok=True)

    def copy(source: Path, target: Path) -> None:
        """Without a change to a library that a program has loaded."""
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


# Of versions below 1.0 each may differ from all others.
_VERSION = f"""\
set(PACKAGE_VERSION "{__version__}")
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION OR NOT PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""


def main(arguments: list[str] | None = None) -> int:
    """Prints the folder, for CMAKE_PREFIX_PATH."""
    parser = argparse.ArgumentParser(prog="python -m torchpaged.tools.cpp_package", description=__doc__)
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
