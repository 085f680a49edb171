"""PTX that kernels write themselves, run on numpy arrays: what `tl.inline_asm_elementwise` holds.

    {                                   one text, run for all elements at once: every register is
      .reg .b16 lo, hi;                 an array of its bits, one row per run
      mov.b32 {lo, hi}, $1;
      cvt.f32.f16 $0, hi;               read("cvt.f32.f16 …", "=f,r").run([bits of u32])
    }                                       → [bits of u32 that are the float]

    syntax.py      text into statements, names into registers
    kinds.py       types: how wide they are, bits into numbers and back
    registry.py    the table of instructions, a file of `families` per kind
    assembly.py    statements and constraints into something that runs

What it computes is what the page of an instruction in NVIDIA's "PTX ISA" says; approximations are
the nearest number, which is closer than the hardware's. Memory, barriers, branches and special
registers belong to a machine: those are errors that name the instruction.
"""

from __future__ import annotations

from weft.ptx.assembly import Assembly, read

__all__ = ["Assembly", "read"]
