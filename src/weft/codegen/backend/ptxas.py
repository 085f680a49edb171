"""Assemble PTX to a cubin with NVIDIA's ptxas, if one is installed.

    assembler = ptxas_for("sm_90a")              # the newest on this machine that knows the chip
    assembler.assemble(module, ptx).image        # what the driver loads without compiling

WEFT_PTXAS names a ptxas, else TRITON_PTXAS_PATH, for Blackwell TRITON_PTXAS_BLACKWELL_PATH. Without
them these places are searched, and the newest release that knows the chip is used:

    nvidia-cuda-nvcc (PyPI), of any CUDA         …/site-packages/nvidia/{cu13,cuda_nvcc}/bin/ptxas
    CUDA_HOME, CUDA_PATH, /usr/local/cuda*       …/bin/ptxas
    PATH

If none of these knows the chip, those in triton (PyPI) are searched, which torch depends on.
Without any ptxas, the driver compiles PTX when it loads a kernel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from weft.codegen.installed_packages import package_folders
from weft.errors import CodegenError

if TYPE_CHECKING:
    from weft.codegen.llvm.module import LlvmModule

__all__ = ["Cubin", "Ptxas", "every_ptxas", "ptxas_for"]

VARIABLE, TRITON_VARIABLE = "WEFT_PTXAS", "TRITON_PTXAS_PATH"
BLACKWELL_VARIABLE = "TRITON_PTXAS_BLACKWELL_PATH"
_FIRST_BLACKWELL = 100
_RELEASE = r"release (\d+)\.(\d+)"
_CHIP = r"'(sm_\w+)'"
_REGISTERS = r"Used (\d+) registers"
_SPILLED = r"(\d+) bytes spill stores, (\d+) bytes spill loads"
_LOCK = threading.Lock()
_OTHER_LEVELS = (10, 0)
_FEW_SPILLED_BYTES = 1024  # loaded and stored by a thread
_MAX_MESSAGE = 2000  # characters of ptxas's output that an error quotes


@dataclass(frozen=True, slots=True)
class Cubin:
    """A kernel that is assembled for one chip.

    Attributes:
        image: the ELF file.
        registers: registers per thread.
        spill_stores: bytes per thread that spills store to local memory.
        spill_loads: bytes per thread that spills load from local memory.
        log: what ptxas prints.
    """

    image: bytes = field(repr=False)
    registers: int
    spill_stores: int
    spill_loads: int
    log: str = field(default="", repr=False)

    @property
    def spilled(self) -> int:
        """The bytes per thread that spills load and store."""
        return self.spill_stores + self.spill_loads


@dataclass(frozen=True, slots=True)
class Ptxas:
    """An installed ptxas.

    Attributes:
        path: the program.
        release: its CUDA release, (13, 0).
        chips: the chips that it assembles for, "sm_90a".
    """

    path: str
    release: tuple[int, int]
    chips: frozenset[str] = field(repr=False)

    def assemble(self, module: LlvmModule, ptx: bytes) -> Cubin:
        """Assemble a kernel's PTX.

        If the kernel spills a little, it is assembled with two other register usage levels at the
        same time, and the cubin with the least spills is returned: ptxas's default level may spill
        where others do not. Beyond `_FEW_SPILLED_BYTES` no level helps: of 44 kernels of
        flash-linear-attention 8 spilled more, and lost less than 1 % of it at other levels.

        Raises: CodegenError: ptxas refuses the PTX or aborts; the error quotes its output.
        """
        cubin = self._assemble_once(module, ptx)
        if not 0 < cubin.spilled <= _FEW_SPILLED_BYTES:
            return cubin
        others: dict[int, Cubin] = {}

        def assemble_at(level: int) -> None:
            with suppress(CodegenError):  # an older release does not know the option
                option = f"--register-usage-level={level}"
                others[level] = self._assemble_once(module, ptx, option)

        threads = [threading.Thread(target=assemble_at, args=(each,)) for each in _OTHER_LEVELS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        candidates = [cubin, *(others[level] for level in _OTHER_LEVELS if level in others)]
        return min(candidates, key=lambda candidate: candidate.spilled)

    def _assemble_once(self, module: LlvmModule, ptx: bytes, *options: str) -> Cubin:
        chip = module.target.llvm_cpu
        lines = ["-lineinfo"] if module.has_line_info else []
        result = _run(
            self.path, "-v", f"-arch={chip}", *lines, *options, *module.ptxas_options,
            "-o", "/dev/stdout", "-", stdin=ptx,
        )  # fmt: skip
        output = result.stderr.decode(errors="replace").strip()
        if result.returncode or not result.stdout.startswith(b"\x7fELF"):
            raise CodegenError(
                f"ptxas refuses {module.kernel} for {module.target}",
                found=output[:_MAX_MESSAGE] or f"exit status {result.returncode}, no message",
                hint=f"{self.path} is of CUDA {self.release[0]}.{self.release[1]}",
            )
        registers, spilled = re.search(_REGISTERS, output), re.search(_SPILLED, output)
        stores, loads = map(int, spilled.groups()) if spilled else (0, 0)
        return Cubin(result.stdout, int(registers[1]) if registers else 0, stores, loads, output)


def every_ptxas(processor: str) -> list[Ptxas]:
    """List every ptxas of this machine that knows a chip, Triton's included, newest first."""
    with _LOCK:
        releases = _newest_first((*_installed(), *_in_triton()))
        return [
            Ptxas(path, release, _chips(path))
            for path, release in releases
            if processor in _chips(path)
        ]


def ptxas_for(processor: str) -> Ptxas | None:
    """Find the newest ptxas of this machine that knows a chip.

    Args:
        processor: the chip, "sm_90a".
    Returns: the assembler; None if none knows the chip.
    Raises: CodegenError: WEFT_PTXAS names something else than a ptxas, or one that does not know
        the chip.
    """
    with _LOCK:  # another thread waits for the same cached results
        triton_variable = BLACKWELL_VARIABLE if _is_blackwell(processor) else TRITON_VARIABLE
        path = os.environ.get(VARIABLE, os.environ.get(triton_variable))
        return _search(processor) if path is None else _named_by_variable(processor, path)


def _is_blackwell(processor: str) -> bool:
    return int(re.sub(r"\D", "", processor)) >= _FIRST_BLACKWELL


def _search(processor: str) -> Ptxas | None:
    for candidates in (_installed, _in_triton):
        for path, release in _newest_first(candidates()):
            if processor in (chips := _chips(path)):
                return Ptxas(path, release, chips)
    return None


def _named_by_variable(processor: str, path: str) -> Ptxas:
    releases = _newest_first((path,))
    if not releases:
        raise CodegenError(f"{VARIABLE} is not the path of a ptxas", found=path)
    chips = _chips(path)
    if processor not in chips:
        raise CodegenError(
            f"the ptxas of {VARIABLE} does not know {processor}", found=path, accepted=sorted(chips)
        )
    return Ptxas(path, releases[0][1], chips)


def _installed() -> tuple[str, ...]:
    """List every ptxas outside of Triton's wheel, each file once."""
    folders = (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"))
    paths = _in_package("nvidia", "c*/bin/ptxas")
    for folder in filter(None, folders):
        paths += _matching(folder, "bin/ptxas")
    paths += _matching("/usr/local", "cuda*/bin/ptxas")
    paths += filter(None, [shutil.which("ptxas")])
    return tuple(dict.fromkeys(map(os.path.realpath, paths)))


def _in_triton() -> tuple[str, ...]:
    return tuple(_in_package("triton", "backends/nvidia/bin/ptxas*"))


def _in_package(name: str, pattern: str) -> list[str]:
    return [path for folder in package_folders(name) for path in _matching(folder, pattern)]


def _matching(folder: str, pattern: str) -> list[str]:
    return [str(path) for path in Path(folder).glob(pattern)]


@cache
def _newest_first(paths: tuple[str, ...]) -> list[tuple[str, tuple[int, int]]]:
    """Return the paths that are a ptxas, each with its release."""
    releases = []
    for path in paths:
        match = re.search(_RELEASE, _output(path, "--version"))
        if match:
            releases.append((path, (int(match[1]), int(match[2]))))
    return sorted(releases, key=lambda pair: pair[1], reverse=True)


@cache
def _chips(path: str) -> frozenset[str]:
    return frozenset(re.findall(_CHIP, _output(path, "--help")))


def _output(path: str, option: str) -> str:
    """Run a program with an option, and return its output; "" if it does not start."""
    with suppress(OSError):
        result = subprocess.run(
            [path, option], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return result.stdout.decode(errors="replace")
    return ""


def _run(path: str, *arguments: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run([path, *arguments], input=stdin, capture_output=True, check=False)
    except OSError as error:
        raise CodegenError("ptxas does not start", found=f"{path}: {error.strerror}") from None
