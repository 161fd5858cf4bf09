"""The one thing that pyproject.toml cannot say: compile the C++ library while building, where that is possible.

A wheel then carries it. Without a compiler or torch's headers (pip's isolated build has no torch of its own) the
library is built at first use instead, so a failure here is no failure of the installation.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


def _builder():
    """csrc/build.py by its path: torchpaged is not importable here, and importing it would want torch."""
    spec = importlib.util.spec_from_file_location("torchpaged_build", ROOT / "csrc" / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        builder = _builder()
        folder = ROOT / "csrc" if self.editable_mode else Path(self.build_lib) / "torchpaged" / "csrc"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            library = builder.find() or builder.build(folder)
            if library.parent.resolve() != folder.resolve():
                shutil.copy2(library, folder)
            print("torchpaged: the C++ library is", library.name)
        except builder.BuildError as error:
            print(f"torchpaged: the C++ library will be built at first use: {error}", file=sys.stderr)


class PlatformWheel(bdist_wheel):
    """The library is machine code, but of no particular Python: it binds to torch's stable ABI."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel}, distclass=BinaryDistribution)
