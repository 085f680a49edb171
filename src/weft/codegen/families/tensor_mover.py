"""The tensor data mover of gfx1250: tiles between global and shared memory, by descriptor.

    %t = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %b, %p    →    tensor_load_to_lds

Each warp moves rows of its own, 16 each of a tile of 64 for four warps, and hands the mover twelve
words, in scalar registers:

    1, address in shared memory, address in global memory (57 bits) and its kind, 2
    log2 of the bytes of an element and the gaps in shared memory, columns and rows that are left
    of the tensor, columns and rows to move, the distance of rows

What is outside of the tensor is read as zeros, and not written. Waits count instructions.
Source: Triton 3.7.1, its LLVM IR of these operations; LLVM 22.1, the intrinsics.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from weft.codegen.families.local import memdesc_of
from weft.codegen.families.synchronize import wait
from weft.codegen.llvm_types import storage_bytes
from weft.codegen.lowering import Lowering, number
from weft.codegen.registry import lowers
from weft.codegen.writer import Writer
from weft.errors import CodegenError
from weft.ir import amdg, tt
from weft.ir.enums import PaddingOption
from weft.ir.ttg import MemDescType
from weft.layouts import PaddedSharedEncoding, SwizzledSharedEncoding

_GLOBAL = 2 << 30  # the kind of a descriptor, in the high word of an address
_MOST = 2  # dimensions
_WORD_BYTES = 4
_PADDED = 1 << 20
_INTERVAL, _AMOUNT = 22, 25  # where the gaps stand: log2 of dwords less 1, and dwords less 1


@lowers("tt.make_tensor_descriptor")
def _describe(low: Lowering, op: Operation) -> None:
    """Keep what the descriptor is made of: its words depend on the tile as well.

    Raises: CodegenError: tiles are to be filled with something else than zeros.
    """
    assert isinstance(op, tt.MakeTensorDescOp)
    if (padding := PaddingOption.of(op.properties["padding"])) is not PaddingOption.ZERO:
        raise CodegenError(
            "the tensor data mover fills tiles with zeros", found=padding.keyword, accepted=["zero"]
        )
    given = (op.base, *op.shape, *op.strides)
    low.define(op.results[0], [low.scalar(value) for value in given])


@lowers("amdg.async_tdm_copy_global_to_local")
def _load(low: Lowering, op: Operation) -> None:
    assert isinstance(op, amdg.AsyncTDMCopyGlobalToLocalOp)
    if op.barrier is not None:
        raise CodegenError("a copy by the tensor data mover that arrives at a barrier")
    predicate = low.scalar(op.pred)
    _move(low, "llvm.amdgcn.tensor.load.to.lds.d2", op.desc, op.indices, op.result, predicate)
    low.define(op.token, [])


@lowers("amdg.async_tdm_copy_local_to_global")
def _store(low: Lowering, op: Operation) -> None:
    assert isinstance(op, amdg.AsyncTDMCopyLocalToGlobalOp)
    if op.barrier is not None:
        raise CodegenError("a copy by the tensor data mover that arrives at a barrier")
    _move(low, "llvm.amdgcn.tensor.store.from.lds.d2", op.desc, op.indices, op.src, "1")


@lowers("amdg.async_tdm_wait", "amdg.async_tdm_intrinsic_wait")
def _wait(low: Lowering, op: Operation) -> None:
    wait(low, "tensor", number(op, "num" if op.name == "amdg.async_tdm_wait" else "count"))
    low.define(op.results[0], [])


def _move(
    low: Lowering,
    intrinsic: str,
    descriptor: SSAValue,
    indices: Sequence[SSAValue],
    view: SSAValue,
    predicate: str,
) -> None:
    """Write a copy of a tile.

    Args: indices: where the tile begins.  predicate: an i32, 0 for no copy.
    Raises: CodegenError: the tile is of more than two dimensions, or lies otherwise than in rows.
    """
    w, type_ = low.writer, memdesc_of(view)
    parts = low[descriptor]
    rank = len(indices)
    if not 0 < rank <= _MOST or len(parts) != 1 + 2 * rank:
        raise CodegenError(
            "the tensor data mover is lowered for tensors of one or two dimensions that the kernel "
            "describes",
            found=descriptor.type,
        )
    size = storage_bytes(type_.element_type)
    base, shape, strides = parts[0], parts[1 : 1 + rank], parts[1 + rank :]
    starts = [low.scalar(index) for index in indices]
    tile = (1,) * (_MOST - rank) + tuple(type_.shape[-rank:])
    rows, first, active = _own_rows(low, tile[0], predicate)
    if rank < _MOST:
        starts, shape, strides = ["0", *starts], ("1", *shape), ("0", *strides)
    row = w.value(f"add i32 {starts[0]}, {first}")
    place = w.value(f"mul i64 {_wide(w, row)}, {strides[0]}")
    place = w.value(f"add i64 {place}, {_wide(w, starts[1])}")
    place = w.value(f"mul i64 {place}, {size}")
    source = w.value(f"ptrtoint ptr addrspace(1) {base} to i64")
    source = w.value(f"add i64 {source}, {place}")
    target = _row_address(low, view, type_, first, tile[1] * size)
    left = [_left(w, shape[0], row), _left(w, shape[1], starts[1])]
    high = w.value(f"trunc i64 {w.value(f'lshr i64 {source}, 32')} to i32")
    group = [
        active,
        w.value(f"ptrtoint ptr addrspace(3) {target} to i32"),
        w.value(f"trunc i64 {source} to i32"),
        w.value(f"or i32 {high}, {_GLOBAL - (1 << 32)}"),
    ]
    tiles = [
        str((size.bit_length() - 1) << 16 | _gaps(type_, size)),
        w.value(f"shl i32 {left[1]}, 16"),
        _joined(w, left[1], left[0]),
        w.value(f"or i32 {w.value(f'lshr i32 {left[0]}, 16')}, {tile[1] << 16}"),
        str(rows),
        w.value(f"trunc i64 {strides[0]} to i32"),
        w.value(f"trunc i64 {w.value(f'lshr i64 {strides[0]}, 32')} to i32"),
        "0",
    ]
    words = [("<4 x i32>", _vector(w, group)), ("<8 x i32>", _vector(w, tiles)), ("i32", "0")]
    w.call("void", intrinsic, *words)


def _own_rows(low: Lowering, rows: int, predicate: str) -> tuple[int, str, str]:
    """Return how many rows a warp moves, the first of them, and 1 or 0: whether it moves any."""
    w = low.writer
    value, bits = low.threads.ids["warp"]
    warps = min(1 << bits, rows)
    each = rows // warps
    if not bits:
        return each, "0", predicate
    warp = w.call("i32", "llvm.amdgcn.readfirstlane.i32", ("i32", value))
    first = w.value(f"mul i32 {warp}, {each}")
    if warps == 1 << bits:
        return each, first, predicate
    inside = w.value(f"icmp ult i32 {warp}, {warps}")
    return each, first, w.value(f"select i1 {inside}, i32 {predicate}, i32 0")


def _row_address(
    low: Lowering, view: SSAValue, type_: MemDescType, first: str, row_bytes: int
) -> str:
    """Return where a row of a tile begins in shared memory.

    Raises: CodegenError: the tile does not lie row by row.
    """
    w, (address, moved), encoding = low.writer, low[view], type_.encoding
    rank = len(type_.shape)
    plain = tuple(reversed(range(rank)))
    straight = (
        isinstance(encoding, SwizzledSharedEncoding)
        and encoding.max_phase == 1
        and encoding.order == plain
    ) or (isinstance(encoding, PaddedSharedEncoding) and _is_straight(encoding, type_))
    if not straight or moved != "0":
        raise CodegenError("the tensor data mover writes tiles row by row", found=encoding)
    offset = w.value(f"mul i32 {first}, {row_bytes}")
    if isinstance(encoding, PaddedSharedEncoding):
        size = storage_bytes(type_.element_type)
        gaps = w.value(f"udiv i32 {offset}, {encoding.intervals[0] * size}")
        gap = w.value(f"mul i32 {gaps}, {encoding.paddings[0] * size}")
        offset = w.value(f"add i32 {offset}, {gap}")
    return w.value(f"getelementptr i8, ptr addrspace(3) {address}, i32 {offset}")


def _is_straight(encoding: PaddedSharedEncoding, type_: MemDescType) -> bool:
    """Tell whether a padded tile lies row by row, with gaps of one kind."""
    columns = type_.shape[-1]
    wanted = [
        (0, 1 << bit) if 1 << bit < columns else ((1 << bit) // columns, 0)
        for bit in range((columns * type_.shape[-2]).bit_length() - 1)
    ]
    found = [tuple(each) for each in encoding.offset]
    return found == wanted and len(encoding.intervals) == 1


def _gaps(type_: MemDescType, size: int) -> int:
    """Return what a descriptor says of gaps in shared memory.

    Raises: CodegenError: they are no whole words.
    """
    encoding = type_.encoding
    if not isinstance(encoding, PaddedSharedEncoding):
        return 0
    interval, amount = encoding.intervals[0] * size, encoding.paddings[0] * size
    if interval < 2 * _WORD_BYTES or amount % _WORD_BYTES:
        raise CodegenError("the tensor data mover leaves gaps of whole words", found=encoding)
    log2 = (interval // _WORD_BYTES).bit_length() - 2
    return _PADDED | log2 << _INTERVAL | (amount // _WORD_BYTES - 1) << _AMOUNT


def _wide(w: Writer, value: str) -> str:
    return w.value(f"sext i32 {value} to i64")


def _left(w: Writer, size: str, start: str) -> str:
    """Return how much of a dimension is left behind a start, at least 0."""
    rest = w.value(f"sub i32 {size}, {start}")
    return w.call("i32", "llvm.smax.i32", ("i32", rest), ("i32", "0"))


def _joined(w: Writer, low_half: str, high_half: str) -> str:
    """Return the high half of one number below the low half of another."""
    upper = w.value(f"lshr i32 {low_half}, 16")
    return w.value(f"or i32 {upper}, {w.value(f'shl i32 {high_half}, 16')}")


def _vector(w: Writer, words: Sequence[str]) -> str:
    type_, whole = f"<{len(words)} x i32>", "poison"
    for n, word in enumerate(words):
        whole = w.value(f"insertelement {type_} {whole}, i32 {word}, i32 {n}")
    return whole
