"""Replace a load by an asynchronous copy to a buffer in shared memory.

%a = tt.load %p, %mask         →     %t = ttg.async_copy_global_to_local %p, %view mask %mask
                                     %g = ttg.async_commit_group tokens %t
                                     %w = ttg.async_wait %g {num = 0 : i32}
"""

from __future__ import annotations

from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import OpResult, SSAValue
from weft.ir.rewriting import Builder

__all__ = ["create_async_copy", "create_async_wait", "create_uncommitted_copy"]

_COMMON_PROPERTIES = ("cache", "evict", "isVolatile")  # of a load and a copy


def create_async_copy(
    builder: Builder, load: tt.LoadOp, view: SSAValue, contiguity: int
) -> tuple[ttg.AsyncCopyGlobalToLocalOp, ttg.AsyncCommitGroupOp]:
    """Create the copy that a load becomes, and the commit of its group.

    Args:
        builder: Where.
        load: The load, which stays.
        view: The buffer.
        contiguity: The number of elements that a thread copies at once.
    """
    copy = create_uncommitted_copy(builder, load, view, contiguity)
    return copy, builder.create(ttg.AsyncCommitGroupOp, copy.results, [ttg.async_token])


def create_uncommitted_copy(
    builder: Builder, load: tt.LoadOp, view: SSAValue, contiguity: int
) -> ttg.AsyncCopyGlobalToLocalOp:
    """Create the copy that a load becomes, with the arguments of `create_async_copy`."""
    optionals = [value for value in (load.mask, load.other) if value is not None]
    sizes = (1, 1, int(load.mask is not None), int(load.other is not None))
    properties = {
        "operandSegmentSizes": attributes.array_i32(sizes),
        "contiguity": attributes.integer(contiguity, types.i32),
        **{name: load.properties[name] for name in _COMMON_PROPERTIES},
    }
    return builder.create(
        ttg.AsyncCopyGlobalToLocalOp,
        [load.ptr, view, *optionals],
        [ttg.async_token],
        properties,
    )


def create_async_wait(builder: Builder, *groups: SSAValue) -> OpResult:
    """Create a wait for groups, or for all groups; return its token.

    No group may be pending after it until `async_waits.update_waits` counts those that may.
    """
    num = {"num": attributes.integer(0, types.i32)}
    return builder.value(ttg.AsyncWaitOp, groups, ttg.async_token, num)
