"""Runs tests of the operators as 64-bit Arm: Debian's Python and torch's wheel under `qemu-aarch64`, and our library.

    python -m tests.emulated_arm FOLDER [pytest's arguments, as: tests/ops/test_pointwise.py -k "not triton"]

Needs Debian's debootstrap, qemu-user and g++-aarch64-linux-gnu (root for debootstrap), a package index, 2 GB in FOLDER
and an hour. A part that is in FOLDER is not made again, but the tree's sources are. Pure Python packages come from the
running environment, which must have Debian's version of Python. PyPI's torch for Arm is built for CUDA: stand-ins take
the place of CUDA's libraries, all of whose functions fail. Tests that start processes cannot run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUITE = "bookworm"  # its Python is 3.11
PACKAGES = ("torch", "numpy", "markupsafe", "safetensors", "tokenizers", "regex", "pyyaml", "hypothesis")
TAGS = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
# Without the vendor's description of its processor oneDNN's start fails; these are the emulated Neoverse N1's.
MIDR = "0x00000000413fd0c1\n"
FEATURES = "fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp"
DEFAULT = (
    *("tests/ops/test_pointwise.py", "tests/ops/test_cache_ops.py", "tests/ops/test_paged_attention.py"),
    *("-k", "not triton and not reference and not swap and not 32_bits"),
)


def make_root(folder: Path) -> None:
    """Unpack Debian's Python for Arm, and describe the processor where qemu looks first."""
    stage, root = folder / "stage", folder / "root"
    command = ["debootstrap", "--foreign", "--arch=arm64", "--variant=minbase", "--include=python3,libgomp1"]
    _run([*command, SUITE, str(stage), "http://deb.debian.org/debian"])
    for package in (stage / "var/cache/apt/archives").glob("*.deb"):
        _run(["dpkg-deb", "-x", str(package), str(root)])
    for number in (0, 1):
        place = root / f"sys/devices/system/cpu/cpu{number}/regs/identification"
        place.mkdir(parents=True)
        (place / "midr_el1").write_text(MIDR)
    lines = f"Features\t: {FEATURES}\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n\n"
    (root / "proc/cpuinfo").write_text("".join(f"processor\t: {number}\n{lines}" for number in (0, 1)))
    shutil.rmtree(stage)


def make_site(folder: Path) -> None:
    """Unpack packages for Arm, and link the pure ones of the running environment."""
    wheels, site = folder / "wheels", folder / "site"
    tags = [f"--platform={tag}" for tag in TAGS]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", *tags]
    wanted = [f"--dest={wheels}", f"--constraint={ROOT / 'constraints.txt'}", *PACKAGES]
    _run([*command, "--python-version=311", "--implementation=cp", *wanted])
    for wheel in wheels.glob("*.whl"):
        shutil.unpack_archive(wheel, site, "zip")
    shutil.rmtree(wheels)
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        is_pure = each.suffix == ".py" or (each.is_dir() and not any(each.rglob("*.so")))
        if is_pure and not (site / each.name).exists() and not each.name.startswith(("__", "torch", "triton")):
            (site / each.name).symlink_to(each)
    make_stand_ins(site / "torch" / "lib", site / "stand-ins")


def make_stand_ins(libraries: Path, folder: Path) -> None:
    """Write a library in place of each that torch's own need and that is neither there nor the system's."""
    folder.mkdir()
    needed, versions = set[str](), dict[str, str]()
    wanted, defined = set[tuple[str, str]](), set[str]()
    files = [each for each in libraries.iterdir() if ".so" in each.name]
    for file in files:
        needed |= set(re.findall(r"NEEDED.*\[(.*)\]", _run(["readelf", "-Wd", str(file)])))
        for library, names in re.findall(
            r"File: (\S+)\s+Cnt: \d+((?:\n.*Name:.*)*)", _run(["readelf", "-WV", str(file)])
        ):
            versions |= dict.fromkeys(re.findall(r"Name: (\S+)", names), library)
        for row in map(str.split, _run(["readelf", "-W", "--dyn-syms", str(file)]).splitlines()):
            if len(row) >= 8 and row[0].endswith(":"):
                name, _, version = row[7].partition("@")
                if row[6] == "UND":
                    wanted.add((name, version))
                else:
                    defined.add(name)
    system = r"(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)|ld-linux-aarch64)\.so"
    missing = {name for name in needed - {file.name for file in files} if not re.match(system, name)}
    runtime = next(name for name in missing if name.startswith("libcudart"))  # symbols without a version go here
    symbols: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in missing}
    for name, version in sorted(wanted):
        if versions.get(version) in missing:
            symbols[versions[version]][version].append(name)
        elif not version and name not in defined and re.match(r"_*(cu|nv|nccl)", name):
            symbols[runtime][""].append(name)
    for library, by_version in symbols.items():
        # 100 is cudaErrorNoDevice.
        code = [
            f"int {name}() {{ return 100; }}" for names in by_version.values() for name in names if "String" not in name
        ]
        code += [
            f'char *{name}() {{ return ""; }}' for names in by_version.values() for name in names if "String" in name
        ]
        script = [f"{v} {{ global: {'; '.join(names)}; }};" for v, names in by_version.items() if v]
        (folder / "code.c").write_text("\n".join(code))
        (folder / "versions").write_text("\n".join(script) or "{ global: *; };")
        flags = ["-w", "-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{library}"]
        command = ["aarch64-linux-gnu-gcc", *flags, f"-Wl,--version-script={folder / 'versions'}"]
        _run([*command, str(folder / "code.c"), "-o", str(folder / library)])


def make_source(folder: Path) -> Path:
    """Copy the tree's tracked files; cross-compile the library beside the sources, if they changed."""
    source, built = folder / "source", folder / "built"
    shutil.rmtree(source, ignore_errors=True)
    for name in _run(
        ["git", "-C", str(ROOT), "ls-files", "csrc", "integrations", "ops", "tests", "torchpaged"]
    ).split():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name, follow_symlinks=False)
    shutil.copy2(ROOT / "pyproject.toml", source)
    built.mkdir(exist_ok=True)
    for library in built.glob("*.so"):
        shutil.copy2(library, source / "csrc")
    # By its path: torchpaged would be imported otherwise, and would replace the library of this machine.
    cross = {"TORCHPAGED_BUILD_MACHINE": "aarch64", "CXX": os.environ.get("CXX", "aarch64-linux-gnu-g++")}
    _run([sys.executable, str(source / "csrc" / "build.py")], **cross)
    for library in (source / "csrc").glob("*.so"):
        shutil.copy2(library, built)
    return source


def main(arguments: Sequence[str]) -> int:
    """Make what is missing and run pytest; return its exit status."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in (("root", make_root), ("site", make_site)):
        if not (folder / name).exists():
            make(folder)
    source = make_source(folder)
    # Compiled here: the emulator takes minutes.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder)], stdout=subprocess.DEVNULL, check=False)
    environment = {"LD_LIBRARY_PATH": folder / "site" / "stand-ins", "PYTHONPATH": f"{source}:{folder / 'site'}"}
    emulator = ["qemu-aarch64", "-cpu", "neoverse-n1", "-L", str(folder / "root")]
    emulator += [part for name, value in environment.items() for part in ("-E", f"{name}={value}")]
    command = [*emulator, str(folder / "root/usr/bin/python3.11"), "-m", "pytest", "-p", "no:cacheprovider"]
    return subprocess.run([*command, *(arguments[1:] or DEFAULT)], cwd=source, check=False).returncode


def _run(command: list[str], **environment: str) -> str:
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
