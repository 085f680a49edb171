"""Run corrections in the place of the emulator's instructions."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.emulator.corrections.correction import Instruction, find_correction
from tests.emulator.corrections.decoding import (
    ARCHITECTURES,
    decode,
    is_before_unscaled_mfma,
)
from tests.emulator.corrections.delays import Delays
from tests.emulator.corrections.wave import Wave

__all__ = ["install"]

# Modules that register corrections.
for _name in (
    "atomics", "buffers", "conversions", "dot_products", "dpp", "high_registers", "lanes", "lds",
    "matrix",
):  # fmt: skip
    import_module(f"tests.emulator.corrections.{_name}")

_INSTRUCTION_BYTES = 24
# Does nothing in a memory without caches. The emulator runs that of CDNA as a load into v0.
_CACHE_CONTROL = re.compile(r"BUFFER_(INV|WBL2|GL\d_INV)|WBINVL1_VOL|GLOBAL_(INV|WB|WBINV)")
_TTMP8 = 116
_MFMA_CAUSE = "MFMA of f8f6f4 without scales"
_SCRATCH_CAUSE = "scratch of several waves"
_Run = Callable[[tuple[Any, ...]], None]


@contextmanager
def install(
    chip: str, causes: set[str], is_corrected: bool = True, is_delayed: bool = True
) -> Iterator[None]:
    """Correct the emulator in the block.

    Args:
        chip: The chip that the code is for.
        causes: Receives the causes of the corrections that run.
        is_corrected: Whether the corrections run.
        is_delayed: Whether LDS operations complete late (delays.py).
    """
    from test.mockgpu.amd import emu  # pyright: ignore[reportMissingImports]

    originals = emu._decode_at, emu._init_wave
    delays = Delays() if is_delayed else None
    emu._decode_at = _Patch(chip, causes, is_corrected, delays, emu._decode_at).decode_at
    emu._init_wave = _init_wave(emu._init_wave)
    try:
        yield
    finally:
        emu._decode_at, emu._init_wave = originals


def _init_wave(original: Callable[..., Any]) -> Callable[..., Any]:
    """Give a wave of RDNA 4 its number in the workgroup, which the emulator leaves out.

    It is in bits 25 to 29 of ttmp8, an SGPR that only the trap handler writes.
    """

    def init_wave(code: int, first_thread: int, *arguments: Any) -> Any:
        wave = original(code, first_thread, *arguments)
        if wave.wave_size == 32:
            wave._write_sgpr(_TTMP8, first_thread // 32 << 25)
        return wave

    return init_wave


class _Patch:
    """What replaces the emulator's decoder; see `install`."""

    def __init__(
        self,
        chip: str,
        causes: set[str],
        is_corrected: bool,
        delays: Delays | None,
        original: Callable[[int, str], Any],
    ) -> None:
        self.chip, self.causes, self.is_corrected = chip, causes, is_corrected
        self.delays, self.original = delays, original
        self.architecture = ARCHITECTURES[chip]
        self.scratch: dict[int, np.ndarray[Any, np.dtype[np.uint8]]] = {}

    def decode_at(self, pc: int, architecture: str) -> Any:
        """Find what runs the instruction at an address, and the decoded instruction."""
        data = ctypes.string_at(pc, _INSTRUCTION_BYTES)
        if self.is_corrected and is_before_unscaled_mfma(self.chip, data):
            self.causes.add(_MFMA_CAUSE)
            alone = ctypes.create_string_buffer(data[:8], _INSTRUCTION_BYTES)
            data, pc = alone.raw, ctypes.addressof(alone)
        try:
            instruction = decode(self.chip, data)
        except ValueError:
            return self.original(pc, architecture)
        run, compiled, inst = self._corrected(instruction), None, instruction.fields
        if run is None:
            compiled, inst = self.original(pc, architecture)
            run = self._emulated(instruction, compiled)
        delayed = self.delays and self.delays.wrap(instruction, run, self.architecture)
        if compiled and not delayed and not self._is_scratch(instruction):
            return compiled, inst
        return _as_compiled(delayed or run), inst

    def _corrected(self, instruction: Instruction) -> _Run | None:
        """Find the correction of an instruction; None if the emulator's runs."""
        if _CACHE_CONTROL.fullmatch(instruction.name) and self.is_corrected:
            return lambda pointers: self._advance(instruction, pointers)
        correction = find_correction(instruction)
        if correction is None:
            return None
        if not self.is_corrected:
            return None

        def run(pointers: tuple[Any, ...]) -> None:
            wave = Wave(self.architecture, pointers)
            if correction.run(instruction, wave) is not False:
                self.causes.add(correction.cause)
            wave.pc += instruction.size

        return run

    def _advance(self, instruction: Instruction, pointers: tuple[Any, ...]) -> None:
        Wave(self.architecture, pointers).pc += instruction.size

    def _is_scratch(self, instruction: Instruction) -> bool:
        return instruction.name.startswith("SCRATCH_")

    def _emulated(self, instruction: Instruction, compiled: Any) -> _Run:
        """Make the emulator's instruction a function of all pointers."""
        program, runtime = compiled
        numbers = program.arg.globals
        if not self._is_scratch(instruction) or not self.is_corrected:
            return lambda pointers: runtime.fxn(*[pointers[each] for each in numbers])

        def run(pointers: tuple[Any, ...]) -> None:
            # The emulator gives all waves of a workgroup the same memory.
            wave = Wave(self.architecture, pointers)
            size = wave.scalar(259) * wave.lanes
            memory = self.scratch.setdefault(wave.identity, np.zeros(size, np.uint8))
            if len(self.scratch) > 1:
                self.causes.add(_SCRATCH_CAUSE)
            own = (*pointers[:4], ctypes.c_uint64(memory.ctypes.data), pointers[5])
            runtime.fxn(*[own[each] for each in numbers])

        return run


def _as_compiled(run: _Run) -> Any:
    """Give a function the form of what the emulator compiles: a program and its runtime."""
    program = SimpleNamespace(arg=SimpleNamespace(globals=list(range(6))))
    return program, SimpleNamespace(fxn=lambda *pointers: run(pointers))
