"""TMA descriptors that a kernel creates: 128 bytes in a format private to the chip.

    ttg.global_scratch_alloc             this program's part of the launch's global scratch memory
    ttng.tensormap_create                the first warp clears 128 bytes of shared memory, its first
                                         thread sets the fields, the warp copies them to global
    ttng.tensormap_fenceproxy_acquire    orders TMA's reads of the descriptor after the copy
    ttng.reinterpret_tensor_descriptor   the pointer, as a descriptor

Boxes, sizes and strides are listed from the fastest dimension.
Source: PTX ISA 9.0, tensormap.replace and tensormap.cp_fenceproxy.
"""

from __future__ import annotations

from weft.codegen.hardware.nvidia.inline_ptx import SHARED, ptx
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.registry import lowers
from weft.ir import ttg, ttng
from weft.lowering_plans.properties import integer_property
from weft.targets import Target

BYTES = 128
_GLOBAL = "ptr addrspace(1)"
_REPLACE = "tensormap.replace.tile."


@lowers(ttg.GlobalScratchAllocOp)
def _allocate(ctx: LoweringContext, op: ttg.GlobalScratchAllocOp) -> None:
    address = ctx.global_scratch.address(op, ctx.writer, ctx.hardware)
    ctx.define(op.results[0], [address])


@scratch(ttng.TensormapCreateOp)
def _bytes(op: ttng.TensormapCreateOp, target: Target) -> int:
    return BYTES


@lowers(ttng.TensormapCreateOp)
def _create(ctx: LoweringContext, op: ttng.TensormapCreateOp) -> None:
    w, threads = ctx.writer, ctx.threads
    first_warp = threads.is_in_first_warps(1)
    # An earlier descriptor may use the same scratch memory.
    ctx.hardware.synchronization.warp_barrier(w)
    word = ctx.shared_address("i32", threads.ids["lane"][0], ctx.scratch_offset(op))
    zero = ("r", "i32", "0")
    ptx(w, "@$2 st.shared.b32 [$0], $1;", ("r", SHARED, word), zero, _predicate(first_warp))
    ctx.hardware.synchronization.warp_barrier(w)
    whole = threads.constant_address(ctx.scratch_offset(op))
    for text, operand in _fields(ctx, op):
        operands = ("l", SHARED, whole), _predicate(threads.is_first_thread())
        ptx(w, f"@$1 {_REPLACE}{text};", *operands, *([operand] if operand else []))
    text = (
        "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
        f".sync.aligned [$0], [$1], {BYTES};"
    )
    target = ("l", _GLOBAL, ctx.scalar(op.desc_ptr))
    ctx.hardware.synchronization.warp_barrier(w)  # all lanes read what the first one has set
    ptx(w, text, target, ("l", SHARED, whole), _predicate(first_warp))


def _predicate(condition: str) -> tuple[str, str, str]:
    return "b", "i1", condition or "true"


def _fields(
    ctx: LoweringContext, op: ttng.TensormapCreateOp
) -> list[tuple[str, tuple[str, str, str] | None]]:
    """List the instruction of each field, and its operand `$2`, if any."""
    kind = "shared::cta.b1024"
    results: list[tuple[str, tuple[str, str, str] | None]] = [
        (
            f"global_address.{kind}.b64 [$0], $2",
            ("l", _GLOBAL, ctx.scalar(op.global_address)),
        ),
        (f"rank.{kind}.b32 [$0], {len(op.box_dim) - 1}", None),
    ]
    for name, values, width, letter in (
        ("box_dim", op.box_dim, 32, "r"),
        ("global_dim", op.global_dim, 32, "r"),
        ("global_stride", op.global_stride, 64, "l"),
        ("element_stride", op.element_stride, 32, "r"),
    ):
        for n, value in enumerate(values):
            operand = letter, f"i{width}", ctx.scalar(value)
            results.append((f"{name}.{kind}.b{width} [$0], {n}, $2", operand))
    for name, field in (
        ("elemtype", "elem_type"),
        ("interleave_layout", "interleave_layout"),
        ("swizzle_mode", "swizzle_mode"),
        ("fill_mode", "fill_mode"),
    ):
        results.append((f"{name}.{kind}.b32 [$0], {integer_property(op, field)}", None))
    return results


@lowers(ttng.TensormapFenceproxyAcquireOp)
def _acquire(ctx: LoweringContext, op: ttng.TensormapFenceproxyAcquireOp) -> None:
    """Write the acquire fence, then an empty bulk group and a wait for it.

    ptxas moves loads across the fence, but not across the wait.
    """
    text = (
        f"@$1 fence.proxy.tensormap::generic.acquire.gpu [$0], {BYTES}; "
        "@$1 cp.async.bulk.commit_group; @$1 cp.async.bulk.wait_group.read 0;"
    )
    first_warp = _predicate(ctx.threads.is_in_first_warps(1))
    ptx(ctx.writer, text, ("l", _GLOBAL, ctx.scalar(op.desc_ptr)), first_warp)


@lowers(ttng.ReinterpretTensorDescOp)
def _reinterpret(ctx: LoweringContext, op: ttng.ReinterpretTensorDescOp) -> None:
    address = ctx.scalar(op.rawDesc)
    ctx.define(op.result, [ctx.writer.value(f"addrspacecast {_GLOBAL} {address} to ptr")])
