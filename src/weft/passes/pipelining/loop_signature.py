"""Add iter_args to a loop."""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import locations, scf
from weft.ir.builtin import Region, SSAValue
from weft.ir.rewriting import Builder, replace

__all__ = ["add_iter_args"]


def add_iter_args(loop: scf.ForOp, inits: Sequence[SSAValue]) -> scf.ForOp:
    """Replace a loop by one with more iter_args.

    The body moves to the new loop. The new iter_args are yielded as their init args, which the
    caller replaces.

    Args:
        loop: The loop.
        inits: The init args of the new iter_args.

    Returns:
        The new loop.
    """
    region = Region()
    loop.regions[0].move_blocks(region)
    for init in inits:
        argument = region.block.insert_arg(init.type, len(region.block.args))
        argument.location = locations.location_of(init)
    new_loop = (
        Builder()
        .before(loop)
        .create(
            scf.ForOp,
            [*loop.operands, *inits],
            [*(result.type for result in loop.results), *(init.type for init in inits)],
            loop.properties,
            loop.attributes,
            [region],
        )
    )
    terminator = new_loop.terminator
    terminator.operands = [*terminator.operands, *inits]
    for old, new in zip(loop.results, new_loop.results, strict=False):
        new.name_hint = old.name_hint
    replace(loop, new_loop.results[: len(loop.results)])
    return new_loop
