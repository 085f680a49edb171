"""Run a few instructions in the emulator, each time in a new process."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from tests.emulator.code_object import CodeObject, EmulatorGap, launch
from weft.codegen.backend.amd_assembler import assemble
from weft.codegen.backend.hsaco.objects import read_object
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.targets import target

__all__ = ["HALF_WAVE", "LANES", "Results", "check", "run"]

LANES = range(64)
HALF_WAVE = range(32)

_WORDS = 1 << 12
# At entry s[0:1] holds the address of the arguments (output, input), v0 the lane.
_CDNA = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
s_waitcnt lgkmcnt(0)
{body}
v_lshlrev_b32 v10, 2, v0
global_store_dword v10, v1, s[4:5]
s_endpgm
"""
_RDNA = """
s_load_b128 s[4:7], s[0:1], 0x0
{body}
v_lshlrev_b32 v10, 2, v0
global_store_b32 v10, v1, s[4:5]
s_endpgm
"""


_USER_SGPRS = 2 << 1  # of compute_pgm_rsrc2: the address of the arguments
_KERNEL_ARGUMENTS = 1 << 3  # of kernel_code_properties


@dataclass(frozen=True, slots=True)
class Results:
    """What instructions compute in v1, by thread.

    Attributes:
        corrected: With the corrections.
        emulated: As the emulator runs them; None if it lacks one, or crashes.
        causes: The corrections in use.
    """

    corrected: list[int]
    emulated: list[int] | None
    causes: list[str]


def run(body: str, chip: str = "gfx942", threads: int = 0, private_bytes: int = 0) -> Results:
    """Run instructions with and without corrections.

    Args:
        body: Assembly; s[4:5] holds the address of the output, s[6:7] that of the input, which is
            0, 1, 2, … as 32 bits. They are to leave their result in v1, and the thread in v0.
        chip: The chip.
        threads: Threads of the workgroup; 0 for one wavefront.
        private_bytes: Scratch memory of a lane.
    """
    command = [sys.executable, "-m", "tests.emulator.snippet"]
    message = json.dumps([body, chip, threads, private_bytes])
    run = subprocess.run(command, input=message, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    assert lines, run.stderr[-2000:]
    corrected, causes = json.loads(lines[0])
    return Results(corrected, json.loads(lines[1]) if len(lines) > 1 else None, causes)


def check(
    cause: str,
    expected: list[int],
    body: str,
    chip: str = "gfx942",
    threads: int = 0,
    private_bytes: int = 0,
) -> None:
    """Check that the correction gives the expected result, and the emulator another or none."""
    results = run(body, chip, threads, private_bytes)
    assert results.causes == ([cause] if cause else [])
    assert results.corrected == expected
    assert (results.emulated == expected) == (not cause)


def _run(
    body: str, chip: str, threads: int, private_bytes: int, causes: set[str], is_corrected: bool
) -> list[int]:
    lanes = 64 if chip.startswith("gfx9") else 32
    text = (_CDNA if lanes == 64 else _RDNA).format(body=body)
    module = LlvmModule("", "snippet", target(f"hip:{chip}"), Launch(1))
    sections = read_object(assemble(module, text.encode())).sections
    (data,) = (each.data for each in sections if each.name == ".text")
    memory = np.frombuffer(bytes(data).ljust(len(data) + 64, b"\0"), np.uint8).copy()
    properties = _KERNEL_ARGUMENTS
    code = CodeObject(
        memory, (0, len(data)), 0, 0, private_bytes, 16, _USER_SGPRS, properties, 0
    )  # fmt: skip
    output, source = np.zeros(_WORDS, np.uint32), np.arange(_WORDS, dtype=np.uint32)
    arguments = np.array([output.ctypes.data, source.ctypes.data], np.uint64).tobytes()
    grid = (1, 1, 1)
    launch(chip, code, grid, threads or lanes, arguments, 4096, causes, is_corrected)
    return output[: threads or lanes].tolist()


def main() -> None:
    """Run the snippet of the standard input."""
    arguments, causes = json.load(sys.stdin), set[str]()
    corrected = _run(*arguments, causes=causes, is_corrected=True)
    print(json.dumps([corrected, sorted(causes)]), flush=True)
    with suppress(EmulatorGap):
        print(json.dumps(_run(*arguments, causes=set(), is_corrected=False)))


if __name__ == "__main__":
    main()
