"""Report the bank conflicts of the instructions that code generation chooses.

An operand of a dot is read from a swizzled buffer on sm_80 by 32 `ldmatrix` of four matrices, not
by 128 loads of 32 bits, which `weft.layouts.bank_report` assumes.
"""

from __future__ import annotations

from weft.layouts import LinearLayout, PaddedSharedEncoding
from weft.layouts.bank_conflicts import BankReport, access_collisions, wavefronts_of
from weft.layouts.plans.local_access import local_access
from weft.lowering_plans.conversion import access_addresses, access_instruction
from weft.targets import Target

__all__ = ["planned_banks"]

_BYTE = 8


def planned_banks(
    registers: LinearLayout,
    shared: LinearLayout,
    element_bits: int,
    target: Target,
    kind: str,
    padding: PaddedSharedEncoding | None = None,
) -> tuple[BankReport, str]:
    """Count the bank conflicts of moving a tile between registers and shared memory.

    Args:
        registers: The layout of the registers.
        shared: The layout of shared memory, without the gaps of padding.
        element_bits: The bits of an element; smaller ones than a byte take a byte.
        target: The chip.
        kind: "read" or "write".
        padding: The encoding of shared memory, if it is padded.

    Returns:
        The report, and the name of an instruction that moves matrices: "ldmatrix x4"; "" if each
        lane moves its own elements.

    Raises:
        LayoutError: The layouts do not fit, or the phases are not known.
    """
    memory, bits = target.shared_memory, max(_BYTE, element_bits)
    runs = {} if padding is None else {"longest_run": padding.longest_run}
    access = local_access(registers, shared, bits, memory, kind, **runs)
    instruction = access_instruction(access, bits, memory, target, padding)
    width = access.tile.bits
    rows = list(access_addresses(access, bits, memory, padding))
    passes = [wavefronts_of(row, width, memory, kind) for row in rows]
    worst, facts = max(passes), memory.phase(width, kind)
    report = BankReport(
        kind=kind,
        bits=instruction.bits,
        accesses=instruction.requests,
        phases=len(memory.phases_of(rows[0], width, kind)),
        wavefronts=instruction.wavefronts,
        ideal=instruction.ideal_wavefronts,
        worst=worst,
        collisions=access_collisions(rows[passes.index(worst)], width, memory, kind),
        source=facts.source,
        assumed=facts.assumed,
    )
    return report, "" if access.tile.is_plain else access.name
