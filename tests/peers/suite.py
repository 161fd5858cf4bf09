"""Suite of a peer's tests: its files, how they are staged, and how pytest runs them in a separate environment."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.peers.outcomes import Outcome, Verdict, judge, read_differences, read_outcomes
from tests.peers.sources import Source
from torchpaged.csrc.build import cache_directory

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


@dataclass(frozen=True, slots=True)
class Edit:
    """Change to the staged copy that no import hook can make, such as a device's name.

    Args:
        files: pattern of the files below the stage.
        old: regular expression, which must match.
        new: its replacement.
    """

    files: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Files of one source that run with one shim.

    Args:
        name: for `make test-peers PEER=...`, and of the list of differences.
        source: the project with the files.
        files: arguments of pytest, relative to the source.
        shim: pytest plugin below shims/.
        copied: helpers that the files import, staged too.
        paths: folders of the source that are added to the path after the stage.
        requires: requirements that pip installs in addition to torchpaged's environment.
        edits: changes to the staged copy.
        options: options of pytest.
        leave_out: regular expression of names that are too large for a CPU, or need another device.
        sample: number of cases of one test function; 0 for all.
        seconds: time limit of one test.
        minutes: time limit of the whole suite.
        tells_touch: whether the shim reports when torchpaged is reached.
        prepare: writes models and other files into the stage.
    """

    name: str
    source: Source
    files: tuple[str, ...]
    shim: str
    copied: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    options: tuple[str, ...] = ()
    leave_out: str = ""
    sample: int = 0
    seconds: int = 120
    minutes: int = 15
    tells_touch: bool = False
    prepare: Callable[[Path], None] | None = None

    def run(self, chosen: tuple[str, ...] = ()) -> Verdict:
        """Stage the files, run them, and judge the outcomes.

        PEERS_PATIENCE multiplies the limits, for a machine with other load.

        Args:
            chosen: arguments of pytest instead of `files`; then entries may match no test.

        Raises:
            SourceMissingError: the source is not available.
            CalledProcessError: pip failed.
        """
        patience = float(os.environ.get("PEERS_PATIENCE", "1"))
        stage = self._stage(self.source.folder())
        python = self._environment()
        outcomes = stage / "outcomes.jsonl"
        log = stage / "pytest.log"
        command = [str(python), "-m", "pytest", "-p", "peers_recorder", "-p", self.shim, *self.options]
        command += ["-p", "no:cacheprovider", "-q", "--tb=short", "--continue-on-collection-errors"]
        command += [f"--timeout={patience * self.seconds}", "--rootdir", str(stage)]
        command += chosen or self.files
        with log.open("w") as file:
            process = subprocess.Popen(
                command,
                cwd=stage,
                env=self._variables(stage, outcomes),
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                ended = f"pytest ended with {process.wait(60 * patience * self.minutes)}"
            except subprocess.TimeoutExpired:
                ended = f"the suite took more than {patience * self.minutes:.0f} minutes"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # also the servers that tests started
                process.wait()
        found = read_outcomes(outcomes)
        if not found or ended.rpartition(" ")[2] not in ("0", "1", "2"):
            found.append(Outcome("pytest", "failed", why=f"{ended}; see {log}"))
        return judge(found, read_differences(HERE / "differences" / f"{self.name}.txt"), whole=not chosen)

    def _stage(self, source: Path) -> Path:
        stage = cache_directory() / "peers" / "stage" / self.name
        shutil.rmtree(stage, ignore_errors=True)
        for name in dict.fromkeys((*self.copied, *(each.partition("::")[0] for each in self.files))):
            origin, copy = source / name, stage / name
            if origin.is_dir():
                shutil.copytree(origin, copy, dirs_exist_ok=True)
            else:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, copy)
        for edit in self.edits:
            count = 0
            for path in stage.glob(edit.files):
                text, times = re.subn(edit.old, edit.new.replace("{stage}", str(stage)), path.read_text(), flags=re.M)
                path.write_text(text)
                count += times
            if not count:
                raise ValueError(f"{edit.old!r} is nowhere in {self.name}'s {edit.files}: the shim is out of date")
        if self.prepare is not None:
            self.prepare(stage)
        return stage

    def _environment(self) -> Path:
        """Return the Python of an environment that sees this one's packages, with `requires` before them."""
        wanted = "\n".join((sys.version, *self.requires))
        folder = cache_directory() / "peers" / f"env-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
        python = folder / "bin" / "python"
        if (folder / "complete").exists():
            return python
        print(f"making an environment for {self.name} in {folder}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
        (site / "torchpaged_environment.pth").write_text(sysconfig.get_path("purelib") + "\n")
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        for line in self.requires:  # one at a time: a line may have its own options
            subprocess.run([*pip, *line.split()], check=True, stdout=sys.stderr)
        (folder / "complete").touch()
        return python

    def _variables(self, stage: Path, outcomes: Path) -> dict[str, str]:
        folders = [stage, HERE / "shims", ROOT, *(self.source.folder() / each for each in self.paths)]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            "PEERS_OUTCOMES": str(outcomes),
            "PEERS_STAGE": str(stage),
            "PEERS_LEAVE_OUT": self.leave_out,
            "PEERS_SAMPLE": str(self.sample),
            "PEERS_TOUCH": "1" if self.tells_touch else "0",
            "HF_HUB_OFFLINE": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "OMP_WAIT_POLICY": "PASSIVE",
            "CUDA_VISIBLE_DEVICES": "",
        }
