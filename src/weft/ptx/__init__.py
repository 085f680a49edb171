"""Inline PTX, run on numpy arrays: the assembly of `tl.inline_asm_elementwise`.

    {                                   the text runs once for all elements: every register is an
      .reg .b16 lo, hi;                 array of its bits
      mov.b32 {lo, hi}, $1;
      cvt.f32.f16 $0, hi;               read("cvt.f32.f16 …", "=f,r").run([bits of u32])
    }                                       → [bits of u32 that are the float]

    parser.py        text → statements, names → registers
    types.py         widths of types, bits → numbers and back
    registry.py      the table of instructions
    instructions/    the semantics of each instruction
    assembly.py      statements and constraints → an object that runs

The semantics are those of NVIDIA's PTX ISA 9.0; an approximate instruction returns the nearest
number, which is more accurate than the hardware. Memory, barriers, branches and special registers
need a GPU: they are errors that name the instruction.
"""

from __future__ import annotations

from weft.ptx.assembly import Assembly, read

__all__ = ["Assembly", "read"]
