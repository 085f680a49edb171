"""Dots on Hopper's tensor cores by wgmma: four warps multiply tiles that lie in shared memory.

    wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {…}, a, b, p, 1, 1, 0, 1;

An operand in shared memory is named by a descriptor of 64 bits, in units of 16 bytes:

    bits 0–13   where the tile starts            16–29   leading stride: between swizzled columns
    32–45       stride between groups of eight rows           62–63   the swizzle: 128, 64, 32 bytes

A tile's start is linear in its coordinates, so a warp group's part is written once, and the other
tiles are constants that are added. The contiguous dimension may be k or the other one; in that
case the leading stride steps from one swizzled column to the next.
Source: PTX ISA 9.0, asynchronous warpgroup level matrix instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from weft.codegen.families.dot_mma import KINDS, words_of
from weft.codegen.families.local import memdesc_of, memory_layout
from weft.codegen.fragments import accumulators, chunks
from weft.codegen.indices import spread
from weft.codegen.llvm_types import llvm_type, storage_bytes
from weft.codegen.lowering import Lowering, layout_of, number
from weft.codegen.registry import lowers
from weft.errors import CodegenError
from weft.ir import ttng, types
from weft.ir.ttg import MemDescType
from weft.layouts import LinearLayout, NvidiaMmaEncoding, NvmmaSharedEncoding

_SWIZZLES = {128: 1, 64: 2, 32: 3}
_GROUP_ROWS, _WARPS = 64, 4
_RESULTS = {"float": ("f32", "f"), "i32": ("s32", "r")}
_LETTERS = {"float": "f", "i32": "r", "i64": "l", "double": "d", "half": "h", "i16": "h"}


@dataclass(slots=True)
class _Operand:
    """An operand in shared memory: the descriptor of its first tile, and where others start.

    inverse: (row, column) → offset.  turned: whether the dimension that is not k is contiguous.
    """

    first: str
    inverse: LinearLayout
    element_bytes: int
    turned: bool

    def step(self, row: int, column: int) -> int:
        """Return what a tile at these coordinates adds to the descriptor."""
        return _offset(self.inverse, row, column) * self.element_bytes >> 4


def _offset(inverse: LinearLayout, row: int, column: int) -> int:
    return int(inverse.apply({"dim0": row, "dim1": column})["offset"])


@lowers("ttng.warp_group_dot")
def _dot(low: Lowering, op: Operation) -> None:
    assert isinstance(op, ttng.WarpGroupDotOp)
    encoding = types.encoding(op.d.type)
    assert isinstance(encoding, NvidiaMmaEncoding)
    rows, columns, depth = (*encoding.instr_shape, 0)[:3]
    w = low.writer
    result = layout_of(op.d.type)
    b = _operand(low, op.b, 1, result)
    in_registers = types.is_tensor(op.a.type)
    a = None if in_registers else _operand(low, op.a, 0, result)
    words = words_of(low, op.a, 0) if in_registers else {}
    k = (types.shape(op.a.type) if in_registers else memdesc_of(op.a).shape)[-1]
    name = _instruction(op, columns, depth)
    held = list(low[op.c])
    w.line('call void asm sideeffect "wgmma.fence.sync.aligned;", "~{memory}"() convergent')
    for (m, n), elements in accumulators(op.d.type, (rows, columns)).items():
        registers = [register for _, register in elements]
        total = [held[register] for register in registers]
        for step in range(0, k, depth):
            other = _plus(low, b.first, b.step(step, n))
            if a is not None:
                left = [_plus(low, a.first, a.step(m, step))]
            else:
                at = step // depth
                top, bottom = (chunks(words[(m + half,)], 2)[at] for half in (0, 8))
                left = [top[0], bottom[0], top[1], bottom[1]]
            use = "true"
            if step == 0 and op.useC is not None:
                use = low.scalar(op.useC)
            elif step == 0 and all(_is_zero(value) for value in total):
                use, total = "false", ["poison"] * len(total)  # no registers to clear first
            turned = (a is not None and a.turned, b.turned)
            total = _multiply(low, name, llvm_type(op.d.type), left, other, total, use, turned)
        for register, value in zip(registers, total, strict=True):
            held[register] = value
    w.line('call void asm sideeffect "wgmma.commit_group.sync.aligned;", "~{memory}"() convergent')
    if not number(op, "isAsync", 0):
        held = wait(low, 0, [(llvm_type(op.d.type), value) for value in held])
    low.define(op.d, low.repeated(op.d, held))


def _instruction(op: ttng.WarpGroupDotOp, columns: int, depth: int) -> str:
    """Return the instruction's name in PTX.

    Raises: CodegenError: wgmma does not multiply these types.
    """
    kinds = []
    for operand in (op.a, op.b):
        type_ = operand.type
        element = type_.element_type if isinstance(type_, MemDescType) else types.element(type_)
        if element not in KINDS:
            raise CodegenError(
                f"wgmma does not multiply {element}", accepted=[str(kind) for kind in KINDS]
            )
        kinds.append(KINDS[element])
    total, _ = _RESULTS[llvm_type(op.d.type)]
    return f"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{total}.{kinds[0]}.{kinds[1]}"


def _operand(low: Lowering, view: SSAValue, side: int, result: LinearLayout) -> _Operand:
    """Return an operand in shared memory, for this thread's warp group.

    Raises: CodegenError: its layout is not one that wgmma reads.
    """
    type_ = memdesc_of(view)
    encoding = type_.encoding
    if not isinstance(encoding, NvmmaSharedEncoding) or (
        encoding.swizzling_byte_width not in _SWIZZLES
    ):
        raise CodegenError(
            "wgmma reads shared memory in rows that are swizzled",
            found=encoding,
            accepted=["#ttg.nvmma_shared with swizzlingByteWidth 32, 64 or 128"],
        )
    inverse = memory_layout(type_).pseudoinvert()
    size, width = storage_bytes(type_.element_type), encoding.swizzling_byte_width
    turned = encoding.transposed if side == 0 else not encoding.transposed
    across = width // size  # elements of one swizzled column
    leading = 1
    if turned:
        place = (across, 0) if side == 0 else (0, across)
        if across < type_.shape[side]:
            leading = _offset(inverse, *place) * size >> 4
    w = low.writer
    address, moved = low[view]
    start = w.value(f"ptrtoint ptr addrspace(3) {address} to i32")
    groups = [
        _offset(inverse, *((row, 0) if side == 0 else (0, column))) * size
        for row, column in (result.unpack(image) for image in result.images("warp"))
    ]
    groups[: _WARPS.bit_length() - 1] = [0] * min(_WARPS.bit_length() - 1, len(groups))
    part, _ = spread(w, *low.threads.ids["warp"], groups)
    if moved != "0":
        start = w.value(f"add i32 {start}, {w.value(f'mul i32 {moved}, {size}')}")
    if part != "0":
        start = w.value(f"add i32 {start}, {part}")
    unit = w.value(f"and i32 {w.value(f'lshr i32 {start}, 4')}, 16383")
    fixed = _SWIZZLES[width] << 62 | (8 * width >> 4) << 32 | leading << 16
    fixed -= (fixed >> 63) << 64
    first = w.value(f"or i64 {w.value(f'zext i32 {unit} to i64')}, {fixed}")
    return _Operand(first, inverse, size, turned)


def _plus(low: Lowering, descriptor: str, step: int) -> str:
    return low.writer.value(f"add i64 {descriptor}, {step}") if step else descriptor


def _multiply(
    low: Lowering,
    name: str,
    type_: str,
    a: Sequence[str],
    b: str,
    c: Sequence[str],
    use: str,
    turned: tuple[bool, bool],
) -> list[str]:
    """Write one instruction, and return the result's registers."""
    w, (_, letter), count = low.writer, _RESULTS[type_], len(c)
    outs = ", ".join(f"${n}" for n in range(count))
    in_registers = len(a) > 1
    words = ", ".join(f"${count + n}" for n in range(len(a)))
    first = f"{{{words}}}" if in_registers else words
    half = any(kind in name for kind in (".f16", ".bf16"))  # others are contiguous along k
    flags = ", 1, 1" if name.endswith(("f16", "tf32", "e4m3", "e5m2")) else ""
    if half and not in_registers:
        flags += f", {int(turned[0])}"
    if half:
        flags += f", {int(turned[1])}"
    place = count + len(a)
    known = {"true": "1", "false": "0"}.get(use)
    adds = known or f"${place + 1}"
    text = f"{name} {{{outs}}}, {first}, ${place}, {adds}{flags};"
    constraints = [
        *[f"={letter}"] * count,
        *["r" if in_registers else "l"] * len(a),
        "l",
        *([] if known else ["b"]),
        *map(str, range(count)),
    ]
    word = "i32" if in_registers else "i64"
    given = [
        *(f"{word} {value}" for value in a),
        f"i64 {b}",
        *([] if known else [f"i1 {use}"]),
        *(f"{type_} {value}" for value in c),
    ]
    kind = f"{{ {', '.join([type_] * count)} }}"
    called = f'asm sideeffect "{text}", "{",".join(constraints)}"({", ".join(given)})'
    done = w.value(f"call {kind} {called} convergent")
    return [w.value(f"extractvalue {kind} {done}, {n}") for n in range(count)]


def wait(low: Lowering, pending: int, values: Sequence[tuple[str, str]]) -> list[str]:
    """Wait for all but so many groups of products; values that these make pass through.

    Args: values: (type, value) each.
    """
    w, count = low.writer, len(values)
    text = f"wgmma.wait_group.sync.aligned {pending};"
    if not values:
        w.line(f'call void asm sideeffect "{text}", "~{{memory}}"() convergent')
        return []
    letters = [_LETTERS[type_] for type_, _ in values]
    constraints = [*(f"={letter}" for letter in letters), *map(str, range(count)), "~{memory}"]
    kind = f"{{ {', '.join(type_ for type_, _ in values)} }}" if count > 1 else values[0][0]
    given = ", ".join(f"{type_} {value}" for type_, value in values)
    called = f'asm sideeffect "{text}", "{",".join(constraints)}"({given})'
    done = w.value(f"call {kind} {called} convergent")
    if count == 1:
        return [done]
    return [w.value(f"extractvalue {kind} {done}, {n}") for n in range(count)]


@lowers("ttng.warp_group_dot_wait")
def _wait(low: Lowering, op: Operation) -> None:
    """Wait once for all; tensors pass through, so that nothing reads them before."""
    tensors = [operand for operand in op.operands if types.is_tensor(operand.type)]
    through = [
        (llvm_type(each.type), value)
        for each in tensors
        for value in low[each]
        if llvm_type(each.type) in _LETTERS
    ]
    passed = iter(wait(low, number(op, "pendings"), through))
    for operand, result in zip(op.operands, op.results, strict=True):
        values: Sequence[str] = low[operand]
        if types.is_tensor(operand.type) and llvm_type(operand.type) in _LETTERS:
            values = [next(passed) for _ in values]
        low.define(result, values)


def _is_zero(value: str) -> bool:
    return value in ("0", "0.0") or (value.startswith("0x") and not value[2:].strip("0HR"))


@lowers("ttng.fence_async_shared")
def _fence(low: Lowering, op: Operation) -> None:
    """Let what threads wrote to shared memory be seen by the tensor cores."""
    scope = "cluster" if number(op, "bCluster", 0) else "cta"
    text = f"fence.proxy.async.shared::{scope};"
    low.writer.line(f'call void asm sideeffect "{text}", "~{{memory}}"()')
