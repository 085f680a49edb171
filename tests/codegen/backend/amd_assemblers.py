"""Check for an assembler of AMDGCN on this machine."""

from __future__ import annotations

from weft.codegen.backend import amd_assembler


def has_assembler(chip: str) -> bool:
    """Check whether a program of this machine assembles for a chip, such as "gfx942"."""
    return any(amd_assembler._knows_chip(command) for _, command in amd_assembler._commands(chip))
