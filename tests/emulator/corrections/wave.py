"""The state of a wavefront in the emulator, as numpy arrays."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MEMORY", "Wave"]

_SGPRS, _VGPRS = 260, 256
_PC, _EXEC, _VCC, _M0 = 256, 126, 106, {32: 125, 64: 124}
_LDS_BYTES = 160 * 1024
_FIRST = 8  # numpy refuses a null pointer
_Bytes = NDArray[np.uint8]
_Words = NDArray[np.uint32]


def _array(kind: Any, address: int, size: int) -> NDArray[Any]:
    return np.ctypeslib.as_array((kind * size).from_address(address))


class _Memory:
    """The memory of this process by address."""

    @property
    def _bytes(self) -> _Bytes:
        """All bytes. The array is not kept: the CPU device would find every address in it."""
        return _array(ctypes.c_uint8, _FIRST, 1 << 47)

    def load(self, addresses: NDArray[np.int64], size: int) -> _Bytes:
        """Load `size` bytes from each address; the result has one row per address."""
        return self._bytes[addresses[:, None] - _FIRST + np.arange(size)]

    def store(self, addresses: NDArray[np.int64], values: _Bytes) -> None:
        """Store a row of bytes at each address."""
        self._bytes[addresses[:, None] - _FIRST + np.arange(values.shape[1])] = values


MEMORY = _Memory()


class Wave:
    """A wavefront of 32 or 64 lanes.

    Args:
        architecture: What the emulator calls the instruction set.
        pointers: Addresses of SGPRs, VGPRs, memory, LDS, scratch and AccVGPRs, as the emulator
            passes them to an instruction.

    Attributes:
        lanes: 32 or 64.
        sgpr: The scalar registers, then inline constants and the program counter.
        vgpr: The vector registers; a row has a register of all lanes.
        accumulator: The AccVGPRs; those of RDNA are the vector registers.
        lds: The bytes of the workgroup's LDS.
    """

    def __init__(self, architecture: str, pointers: tuple[Any, ...]) -> None:
        self.architecture, self.pointers = architecture, pointers
        self.lanes = 64 if architecture == "cdna" else 32
        self.sgpr: _Words = _array(ctypes.c_uint32, pointers[0].value, _SGPRS)
        self.vgpr: _Words = self._registers(pointers[1])
        self.accumulator: _Words = self._registers(pointers[5])
        self.lds: _Bytes = _array(ctypes.c_uint8, pointers[3].value, _LDS_BYTES)

    def execute(self, data: bytes) -> None:
        """Run another instruction in the emulator, without corrections; the counter stays."""
        from test.mockgpu.amd import emu  # pyright: ignore[reportMissingImports]

        program, runtime = emu._get_runner(data.ljust(16, b"\0"), self.architecture)
        # The emulator reads the registers' numbers where the program counter points.
        code = np.frombuffer(data.ljust(16, b"\0"), np.uint8).copy()
        pc, self.pc = self.pc, code.ctypes.data
        runtime.fxn(*[self.pointers[each] for each in program.arg.globals])
        self.pc = pc

    def _registers(self, pointer: Any) -> _Words:
        size = _VGPRS * self.lanes
        return _array(ctypes.c_uint32, pointer.value, size).reshape(_VGPRS, self.lanes)

    @property
    def identity(self) -> int:
        """The same number for each instruction of this wave."""
        return self.pointers[1].value

    @property
    def active(self) -> NDArray[np.bool_]:
        """EXEC, a bit per lane."""
        words = self.sgpr[_EXEC : _EXEC + self.lanes // 32]
        return np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)

    @active.setter
    def active(self, lanes: NDArray[np.bool_]) -> None:
        words = np.packbits(lanes, bitorder="little").view(np.uint32)
        self.sgpr[_EXEC : _EXEC + self.lanes // 32] = words

    @property
    def pc(self) -> int:
        """The address of the current instruction."""
        return int(self.sgpr[_PC : _PC + 2].view(np.uint64)[0])

    @pc.setter
    def pc(self, address: int) -> None:
        self.sgpr[_PC : _PC + 2].view(np.uint64)[0] = address

    @property
    def m0(self) -> int:
        """The register M0."""
        return int(self.sgpr[_M0[self.lanes]])

    def scalar(self, register: int) -> int:
        """Read an SGPR or an inline constant."""
        return int(self.sgpr[register])

    def source(self, operand: int, count: int = 1, accumulator: bool = False) -> _Words:
        """Read `count` registers of each lane; the result has one row per register.

        Args:
            operand: 256 and more for a vector register; else an SGPR or an inline constant, which
                each register repeats.
            count: Number of registers.
            accumulator: Whether the vector registers are AccVGPRs.
        """
        if operand < 256:
            return np.full((count, self.lanes), self.sgpr[operand], np.uint32)
        file = self.accumulator if accumulator else self.vgpr
        return file[operand - 256 : operand - 256 + count].copy()

    def write(self, first: int, values: _Words, accumulator: bool = False) -> None:
        """Write rows of registers in the active lanes."""
        file, active = self.accumulator if accumulator else self.vgpr, self.active
        file[first : first + len(values), active] = values[:, active]
