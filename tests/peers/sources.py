"""Pinned sources of the peers' suites: a checkout, or a source distribution from the package index.

None of their files is committed: an archive is downloaded once into the user's cache, and its hash is always checked.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from torchpaged.csrc.build import cache_directory

_FILES = "https://files.pythonhosted.org/packages/"


class SourceMissingError(Exception):
    """A source that is not on the package index and for which no checkout was named."""


@dataclass(frozen=True, slots=True)
class Source:
    """One project at one version.

    Args:
        name: name of a checkout below the folder PEERS.
        version: tag or release.
        archive: path of the source distribution below the index's files; None if it has none with tests.
        sha256: hash of the archive.
        home: URL of the repository to check out.
    """

    name: str
    version: str
    archive: str | None = None
    sha256: str = ""
    home: str = ""

    def folder(self) -> Path:
        """Return the folder of the sources: the checkout if there is one, else the unpacked archive.

        Raises:
            SourceMissingError: there is neither.
        """
        checkouts = os.environ.get("PEERS")
        if checkouts and (Path(checkouts) / self.name).is_dir():
            return Path(checkouts).resolve() / self.name
        if self.archive is None:
            where = Path(checkouts or "PEERS") / self.name
            raise SourceMissingError(
                f"the package index has no tests of {self.name} {self.version}: put a checkout of {self.home} at "
                f"{self.version} into {where}, and run make test-peers PEERS={where.parent}"
            )
        return self._unpacked()

    def _unpacked(self) -> Path:
        assert self.archive is not None
        store = cache_directory() / "peers" / "sources"
        archive, folder = store / Path(self.archive).name, store / f"{self.name}-{self.sha256[:12]}"
        if folder.is_dir():
            return folder
        if not archive.exists():
            store.mkdir(parents=True, exist_ok=True)
            part = archive.with_name(f"{archive.name}.{os.getpid()}")
            with urllib.request.urlopen(_FILES + self.archive, timeout=60) as response, part.open("wb") as file:
                shutil.copyfileobj(response, file)
            part.replace(archive)
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != self.sha256:
            raise SourceMissingError(f"{archive} has sha256 {found}, expected {self.sha256}: remove it and run again")
        part = folder.with_name(f"{folder.name}.{os.getpid()}")
        with tarfile.open(archive) as file:
            # Submodules of kernels are most of the bytes, and no suite needs them.
            kept = [each for each in file.getmembers() if not {"csrc", "3rdparty", "rust"} & set(each.name.split("/"))]
            file.extractall(part, kept, filter="data")
        (inner,) = part.iterdir()
        inner.replace(folder)
        part.rmdir()
        return folder


VLLM = Source(
    "vllm",
    "0.32.0",
    "d5/df/5471312c76e335eaa2b8333e87ea39f0d37bfe24f10a582620e34ff12e33/vllm-0.32.0.tar.gz",
    "d2c957d5eee3d0985012151315ddc62cbe0cd368fc96a5fc3510438d9dddf2ad",
    "https://github.com/vllm-project/vllm",
)
FLASH_ATTENTION = Source(
    "flash-attention",
    "2.8.3.post2",
    "6c/b1/b77625e3d11260d2bd6a4fc249a4be9a3da97ff848e2222e810c4f0e0211/flash_attn-2.8.3.post2.tar.gz",
    "d0f9f0b08a986cdeadbffcf5ec8b3a8f514366c68ad1853d3ab061bc83cc340b",
    "https://github.com/Dao-AILab/flash-attention",
)
LM_EVAL = Source(
    "lm-evaluation-harness",
    "0.4.13",
    "89/b1/cfcdf2a8c8b8e755ec7103a7d4b6f8673f7916641ca08df83412c531935b/lm_eval-0.4.13.tar.gz",
    "f592269f21a5e173d7993ae01267f61fc84be393cee1f51779e3e104a70c967e",
    "https://github.com/EleutherAI/lm-evaluation-harness",
)
TRANSFORMERS = Source("transformers", "v5.23.0", home="https://github.com/huggingface/transformers")
# Its archive has the common tests of models alone.
TRANSFORMERS_ARCHIVE = Source(
    "transformers-archive",
    "5.23.0",
    "7e/d3/1ff04cfc1ddbc6853af16973b17cd437426b4303599bc3e84af11fe55057/transformers-5.23.0.tar.gz",
    "19d647a4d5d903a7c644ca5cde2d86efc3dde7d8c687ae7988806ff2205efa71",
    "https://github.com/huggingface/transformers",
)
FLASHINFER = Source("flashinfer", "fb28d7242b35", home="https://github.com/flashinfer-ai/flashinfer")
SGLANG = Source("sglang", "v0.5.9", home="https://github.com/sgl-project/sglang")
