"""The Dockerfile, without Docker: copied files exist, versions are the repository's, and nothing runs as root."""

from __future__ import annotations

import json
import re
import shlex
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "Dockerfile").read_text()
IGNORED = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line]
KNOWN = {"FROM", "RUN", "COPY", "WORKDIR", "USER", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def instructions() -> list[tuple[str, str]]:
    """Return (word, rest) of each instruction, with continued lines joined."""
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def of(word: str) -> list[str]:
    return [rest for each, rest in instructions() if each == word]


def commands() -> list[str]:
    return [command.strip() for rest in of("RUN") for command in rest.split("&&")]


def test_every_instruction_is_known() -> None:
    assert {word for word, _ in instructions()} <= KNOWN
    assert instructions()[0][0] == "FROM"
    for word in ("ENTRYPOINT", "CMD"):
        (given,) = of(word)
        assert isinstance(json.loads(given), list), "without a shell, so that signals arrive"


def test_images_are_named_with_their_version() -> None:
    images = [rest.split()[0] for rest in of("FROM")]
    assert len(set(images)) == 1, "the wheel is built for the Python that runs it"
    version = re.fullmatch(r"python:(\d+)\.(\d+)-slim-\w+", images[0])
    assert version is not None and (int(version[1]), int(version[2])) >= (3, 10)


def test_what_is_copied_is_there() -> None:
    stages = {rest.split()[2] for rest in of("FROM") if " AS " in rest}
    for rest in of("COPY"):
        words = shlex.split(rest)
        sources = [word for word in words[:-1] if not word.startswith("--")]
        if words[0].startswith("--from="):
            assert words[0].removeprefix("--from=") in stages
        else:
            assert all((ROOT / source).exists() for source in sources)


def test_nothing_that_the_build_needs_is_left_out() -> None:
    """Files of the package and of pyproject are included; libraries built on another machine are excluded."""
    settings = (ROOT / "pyproject.toml").read_text()
    folders = re.findall(r'^"torchpaged[\w.]*" = "(\w+)"$', settings, re.MULTILINE)
    needed = {"pyproject.toml", "setup.py", "README.md", "LICENSE", "csrc/build.py", *folders}
    assert {"torchpaged", "ops", "integrations", "csrc"} <= needed
    for name in needed:
        assert not any(fnmatch(name, pattern.removeprefix("**/")) for pattern in IGNORED), name
    assert ".git" in IGNORED and "csrc/*.so" in IGNORED


def test_packages_are_installed_as_they_should_be() -> None:
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    settings = (ROOT / "pyproject.toml").read_text()
    for command in commands():
        if command.startswith("apt-get install"):
            assert "-y" in command and "--no-install-recommends" in command
        if command.startswith("pip "):
            assert "--no-cache-dir" in command
        for version in re.findall(r"torch==(\S+)", command):
            assert version == pinned["torch"] and "download.pytorch.org/whl/cpu" in command
        for extra in re.findall(r"\[([\w-]+)\]", command):
            assert f"\n{extra} = [" in settings
    updates = [rest for rest in of("RUN") if "apt-get update" in rest]
    assert all("apt-get install" in rest and "rm -rf /var/lib/apt/lists/*" in rest for rest in updates)
    setuptools = re.search(r'requires = \["(setuptools[^"]+)"\]', settings)
    assert setuptools is not None and f'"{setuptools[1]}"' in TEXT


def test_it_runs_the_command_and_not_as_root() -> None:
    last = instructions()[max(index for index, (word, _) in enumerate(instructions()) if word == "FROM") :]
    (user,) = [rest for word, rest in last if word == "USER"]
    assert user not in ("root", "0")
    assert any(command.startswith("useradd") and user in command for command in commands())
    assert f"\n{json.loads(of('ENTRYPOINT')[0])[0]} = " in (ROOT / "pyproject.toml").read_text()
    from torchpaged.serving.options import ServeOptions

    (port,) = of("EXPOSE")
    assert int(port) == ServeOptions().port and f":{port}/health" in of("HEALTHCHECK")[0]
