"""ptxas: from PTX to a cubin, by NVIDIA's own assembler where one is found.

    found = ptxas_for("sm_90a")                  # the newest on this machine that knows the chip
    found.assemble(module, ptx).image            # what the driver loads without compiling

WEFT_PTXAS names one. Else these are looked at, and the newest that knows the chip is taken:

    nvidia-cuda-nvcc (PyPI), of any CUDA         …/site-packages/nvidia/{cu13,cuda_nvcc}/bin/ptxas
    CUDA_HOME, CUDA_PATH, /usr/local/cuda*       …/bin/ptxas
    PATH

and if none does, those that triton (PyPI) carries, which torch brings along. Where there is none
at all, the driver compiles PTX itself.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.errors import CodegenError

if TYPE_CHECKING:
    from weft.codegen.lowering.module import LlvmModule

__all__ = ["Cubin", "Ptxas", "every_ptxas", "ptxas_for"]

CHOICE = "WEFT_PTXAS"
_RELEASE = r"release (\d+)\.(\d+)"
_CHIP = r"'(sm_\w+)'"
_REGISTERS = r"Used (\d+) registers"
_SPILLED = r"(\d+) bytes spill stores, (\d+) bytes spill loads"
_LOCK = threading.Lock()
_SAID = 2000  # characters of what ptxas wrote


@dataclass(frozen=True, slots=True)
class Cubin:
    """A kernel that is assembled for one chip.

    image: an ELF file.  registers: of a thread.  spill_stores, spill_loads: bytes of a thread's
    registers that go to memory and come back.
    """

    image: bytes = field(repr=False)
    registers: int
    spill_stores: int
    spill_loads: int

    @property
    def spilled(self) -> int:
        """Return the bytes that go to memory or come back."""
        return self.spill_stores + self.spill_loads


@dataclass(frozen=True, slots=True)
class Ptxas:
    """An assembler: where it is, its CUDA release, and the chips that it knows."""

    path: str
    release: tuple[int, int]
    chips: frozenset[str] = field(repr=False)

    def assemble(self, module: LlvmModule, ptx: bytes) -> Cubin:
        """Return a kernel's PTX as a cubin.

        A kernel that spills is assembled again with leave to take more registers, and again to
        save them: at its default, ptxas may miss orders that need none in memory.
        Raises: CodegenError: ptxas refuses it or ends early, with what it said.
        """
        cubin = self._assembled(module, ptx)
        for level in (10, 0):
            if not cubin.spilled:
                break
            with suppress(CodegenError):  # an older release does not know the option
                again = self._assembled(module, ptx, f"--register-usage-level={level}")
                cubin = min(cubin, again, key=lambda one: one.spilled)
        return cubin

    def _assembled(self, module: LlvmModule, ptx: bytes, *options: str) -> Cubin:
        chip = module.target.llvm_cpu
        done = _run(self.path, "-v", f"-arch={chip}", *options, "-o", "/dev/stdout", "-", given=ptx)
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode or not done.stdout.startswith(b"\x7fELF"):
            raise CodegenError(
                f"ptxas refuses {module.kernel} for {module.target}",
                found=said[:_SAID] or f"exit status {done.returncode}, and no message",
                hint=f"{self.path} is of CUDA {self.release[0]}.{self.release[1]}",
            )
        registers, spilled = re.search(_REGISTERS, said), re.search(_SPILLED, said)
        stores, loads = map(int, spilled.groups()) if spilled else (0, 0)
        return Cubin(done.stdout, int(registers[1]) if registers else 0, stores, loads)


def every_ptxas(processor: str) -> list[Ptxas]:
    """Return each ptxas of this machine that knows a chip, the newest first, Triton's too."""
    with _LOCK:
        found = _newest_first((*_installed(), *_of_triton()))
        return [Ptxas(path, at, _chips(path)) for path, at in found if processor in _chips(path)]


def ptxas_for(processor: str) -> Ptxas | None:
    """Return the newest ptxas of this machine that knows a chip, None where there is none.

    Args: processor: "sm_90a".
    Raises: CodegenError: WEFT_PTXAS names something that is no ptxas, or does not know the chip.
    """
    with _LOCK:  # whoever asks meanwhile waits for the same answers
        return _found(processor, os.environ.get(CHOICE))


def _found(processor: str, asked: str | None) -> Ptxas | None:
    if asked is None:
        for places in (_installed, _of_triton):
            for path, release in _newest_first(places()):
                if processor in (chips := _chips(path)):
                    return Ptxas(path, release, chips)
        return None
    found = _newest_first((asked,))
    if not found:
        raise CodegenError(f"{CHOICE} is not the path of a ptxas", found=asked)
    chips = _chips(asked)
    if processor not in chips:
        raise CodegenError(
            f"the ptxas of {CHOICE} does not know {processor}", found=asked, accepted=sorted(chips)
        )
    return Ptxas(asked, found[0][1], chips)


def _installed() -> tuple[str, ...]:
    """Return where ptxas is by itself or with a toolkit, each file once."""
    folders = (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"))
    found = _in_package("nvidia", "c*/bin/ptxas")
    for folder in filter(None, folders):
        found += _matching(folder, "bin/ptxas")
    found += _matching("/usr/local", "cuda*/bin/ptxas")
    found += filter(None, [shutil.which("ptxas")])
    return tuple(dict.fromkeys(map(os.path.realpath, found)))


def _of_triton() -> tuple[str, ...]:
    return tuple(_in_package("triton", "backends/nvidia/bin/ptxas*"))


def _in_package(name: str, pattern: str) -> list[str]:
    found = importlib.util.find_spec(name)
    folders = (found.submodule_search_locations or ()) if found else ()
    return [path for folder in folders for path in _matching(folder, pattern)]


def _matching(folder: str, pattern: str) -> list[str]:
    return [str(path) for path in Path(folder).glob(pattern)]


@cache
def _newest_first(paths: tuple[str, ...]) -> list[tuple[str, tuple[int, int]]]:
    """Return the files that answer as ptxas does, with their releases."""
    told = [(path, _told(path, "--version", _RELEASE)) for path in paths]
    found = [(path, (int(said[0][0]), int(said[0][1]))) for path, said in told if said]
    return sorted(found, key=lambda one: one[1], reverse=True)


@cache
def _chips(path: str) -> frozenset[str]:
    return frozenset(_told(path, "--help", _CHIP))


def _told(path: str, option: str, pattern: str) -> list[Any]:
    """Return the matches of a pattern in what a program prints for an option; [] if it fails."""
    with suppress(OSError):
        done = subprocess.run(
            [path, option], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return re.findall(pattern, done.stdout.decode(errors="replace"))
    return []


def _run(path: str, *arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run([path, *arguments], input=given, capture_output=True, check=False)
    except OSError as error:
        raise CodegenError("ptxas does not start", found=f"{path}: {error.strerror}") from None
