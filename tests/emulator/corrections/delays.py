"""Memory operations that complete at the last moment that the ISA allows.

The emulator completes each instruction at once, so that a missing wait changes nothing. Here LDS
operations wait in a queue of their wave until s_waitcnt asks for them:

    ds_read_b32 v1, v0         queued
    ds_write_b32 v2, v3        queued after it: the LDS operations of a wave stay in order
    s_waitcnt lgkmcnt(1)       the read completes
    s_barrier                  does not wait: another wave does not see the write yet

Loads from memory, to registers or to LDS, do the same with vmcnt. An instruction reads its
registers when it is issued.

Source: "AMD Instinct MI300" and "RDNA4 Instruction Set Architecture", sections on data dependency
resolution.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.buffers import is_lds_load
from tests.emulator.corrections.correction import Instruction
from tests.emulator.corrections.wave import Wave

__all__ = ["Delays"]

_MEMORY = re.compile(r"(GLOBAL|FLAT|BUFFER|SCRATCH)_.*")
_AT_ONCE = re.compile(r"\w+_STORE_.*|SCRATCH_.*")  # counted, and complete when issued
_Run = Callable[[tuple[Any, ...]], None]
_Operation = Callable[[], None]


class Delays:
    """The operations of each wave that have been issued and are not complete."""

    def __init__(self) -> None:
        self._lds: dict[int, deque[_Operation]] = {}
        self._loads: dict[int, deque[_Operation]] = {}

    def wrap(self, instruction: Instruction, run: _Run, architecture: str) -> _Run | None:
        """Wrap an instruction that queues an operation or waits; None if it does neither.

        Args:
            instruction: The instruction.
            run: Runs it, and advances the program counter.
            architecture: What the emulator calls the instruction set.
        """
        name = instruction.name
        if name.startswith("DS_") and name != "DS_NOP":
            return lambda pointers: self._issue_lds(instruction, run, Wave(architecture, pointers))
        if _MEMORY.fullmatch(name):
            if architecture != "cdna" and "_STORE_" in name:
                return None  # a separate counter, which no register depends on
            return lambda pointers: self._issue_load(instruction, run, Wave(architecture, pointers))
        if name.startswith("S_WAIT") or name == "S_ENDPGM":
            counts = _wait_counts(instruction)

            def wait(pointers: tuple[Any, ...]) -> None:
                self._complete(pointers[1].value, *counts)
                run(pointers)

            return wait
        return None

    def _complete(self, wave: int, loads: int, lds: int) -> None:
        """Complete the oldest operations of a wave until no more than these are left."""
        for queue, count in ((self._loads.get(wave), loads), (self._lds.get(wave), lds)):
            while queue and len(queue) > count:
                queue.popleft()()

    def _issue_lds(self, instruction: Instruction, run: _Run, wave: Wave) -> None:
        copy = _RegisterCopy(instruction, wave)
        if "PERMUTE" not in instruction.name:
            copy.clear_inactive(instruction.vector("addr"), wave.active)
        queue = self._lds.setdefault(wave.identity, deque())
        queue.append(lambda: (copy.run(run), copy.deliver())[1])
        wave.pc += instruction.size

    def _issue_load(self, instruction: Instruction, run: _Run, wave: Wave) -> None:
        queue = self._loads.setdefault(wave.identity, deque())
        if _AT_ONCE.fullmatch(instruction.name):
            run(wave.pointers)
            queue.append(_nothing)
            return
        copy = _RegisterCopy(instruction, wave)
        if is_lds_load(instruction):
            queue.append(lambda: copy.run(run))
        else:
            # A later store to the address does not change what the load reads.
            copy.run(run)
            queue.append(copy.deliver)
        wave.pc += instruction.size


def _nothing() -> None:
    """Complete a store or an access to scratch memory, which ran when it was issued."""


class _RegisterCopy:
    """The registers of a wave when an instruction is issued, on which it runs.

    Args:
        instruction: The instruction.
        wave: The wave.
    """

    def __init__(self, instruction: Instruction, wave: Wave) -> None:
        self._file = wave.accumulator if instruction.flag("acc") else wave.vgpr
        self._sgpr, self._vgpr = wave.sgpr.copy(), wave.vgpr.copy()
        # Without AccVGPRs both are the same registers.
        same = wave.pointers[5].value == wave.pointers[1].value or self._file is wave.vgpr
        self._acc = self._vgpr if same else wave.accumulator.copy()
        self._result = self._acc if instruction.flag("acc") else self._vgpr
        self._before = self._result.copy()
        pointers = list(wave.pointers)
        for at, each in ((0, self._sgpr), (1, self._vgpr), (5, self._acc)):
            pointers[at] = ctypes.c_uint64(each.ctypes.data)
        self._pointers = tuple(pointers)

    def clear_inactive(self, register: int, active: NDArray[np.bool_]) -> None:
        """Set the addresses of inactive lanes to 0: the emulator loads from them, too."""
        self._vgpr[register, ~active] = 0
        if self._result is self._vgpr:
            self._before[register, ~active] = 0

    def run(self, run: _Run) -> None:
        """Run the instruction on the copy."""
        run(self._pointers)

    def deliver(self) -> None:
        """Write the bytes that the instruction has changed to the wave's registers.

        The other half of a register may have been written by an operation before it.
        """
        before, result, file = (
            each.reshape(-1).view(np.uint8) for each in (self._before, self._result, self._file)
        )
        changed = np.flatnonzero(result != before)
        file[changed] = result[changed]


def _wait_counts(instruction: Instruction) -> tuple[int, int]:
    """Compute how many loads and LDS operations may be left after a wait."""
    name, everything = instruction.name, 1 << 30
    if name in ("S_ENDPGM", "S_WAIT_IDLE"):
        return 0, 0
    count = int(getattr(instruction.fields, "simm16", 0)) & 0xFFFF
    if name == "S_WAITCNT":
        if instruction.chip.startswith("gfx9"):
            return count & 15 | count >> 14 << 4, count >> 8 & 15
        return count >> 10, count >> 4 & 63
    loads = count >> 8 if "_DSCNT" in name else count
    return (
        loads & 63 if "LOADCNT" in name else everything,
        count & 63 if "DSCNT" in name else everything,
    )
