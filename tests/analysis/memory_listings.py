"""Short listings of memory operations, from which TTGIR is made.

    store a
    | load a            a barrier is expected before this operation
    tma_load c m
    |+ tma_store a      a barrier and a proxy fence
    for {
      …
    }

The first letter of a name says what it is:

    a, c    128x64xf16 in shared memory          d   128x128xf32 in tensor memory
    b        64x128xf16 in shared memory         h    64x128xf32 in tensor memory (half of the rows)
    m       an mbarrier in shared memory

`specialize a m`, `partition a m` and `end_specialize a m` make a warp_specialize that captures a
and m; in the partition they are called a9 and m9.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weft.analysis.allocation import Allocation, ByteRange
from weft.analysis.buffer_aliases import buffer_aliases
from weft.analysis.tensor_memory import TensorMemory, tensor_memory
from weft.ir import tt, ttg
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

HEAD = """
#regs = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1],
                      order = [1, 0]}>
#regs_b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1],
                        order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1],
                      order = [0, 1]}>
#rows8 = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 2],
                       order = [0, 1]}>
#columns8 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 2],
                          order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1],
                        instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared_b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#tmem_h = #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = WARPS : i32,
                   ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
tt.func private @callee() attributes {noinline = true}
tt.func public @kernel(%n: i32, %cond: i1, %p: tensor<128x64x!tt.ptr<f16>, #regs>,
                       %x: tensor<128x64xf16, #regs>, %xb: tensor<64x128xf16, #regs_b>,
                       %acc: tensor<128x128xf32, #mma>, %t: tensor<128x128xf32, #rows>,
                       %u: tensor<128x128xf32, #rows8>, %v: tensor<128x128xf32, #columns8>,
                       %desc: !tt.tensordesc<tensor<128x64xf16, #shared>>, %ptr: !tt.ptr<i8>,
                       %bb: !ttg.memdesc<128x128xf32, #shared_b, #smem, mutable>,
                       %base: !tt.ptr<f16>, %wide: i64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
"""
TYPES = {
    "a": "!ttg.memdesc<128x64xf16, #shared, #smem, mutable>",
    "c": "!ttg.memdesc<128x64xf16, #shared, #smem, mutable>",
    "b": "!ttg.memdesc<64x128xf16, #shared_b, #smem, mutable>",
    "m": "!ttg.memdesc<1xi64, #one, #smem, mutable>",
    "d": "!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>",
    "h": "!ttg.memdesc<64x128xf32, #tmem_h, #ttng.tensor_memory, mutable>",
}
TENSORS = {
    "a": ("%x", "tensor<128x64xf16, #regs>"),
    "c": ("%x", "tensor<128x64xf16, #regs>"),
    "b": ("%xb", "tensor<64x128xf16, #regs_b>"),
}
ROWS = {
    "rows": ("%t", "tensor<128x128xf32, #rows>"),
    "rows8": ("%u", "tensor<128x128xf32, #rows8>"),
    "columns8": ("%v", "tensor<128x128xf32, #columns8>"),
}
# Statements by their first word. {0}, {1}, … are the other words, {T0}, {T1}, … their types.
STATEMENTS = {
    "store": "ttg.local_store {value}, %{0} : {tensor} -> {T0}",
    "load": "%{r} = ttg.local_load %{0} : {T0} -> {tensor}",
    "barrier": "ttg.barrier local",
    "fence": "ttng.fence_async_shared {{bCluster = false}}",
    "exp": "%{r} = math.exp %t : tensor<128x128xf32, #rows>",
    "call": "tt.call @callee() : () -> ()",
    "init": "ttng.init_barrier %{0}, 1 : {T0}",
    "inval": "ttng.inval_barrier %{0} : {T0}",
    "expect": "ttng.barrier_expect %{0}, 16384, %cond : {T0}",
    "wait": "ttng.wait_barrier %{0}, %zero : {T0}",
    "arrive": "ttng.arrive_barrier %{0}, 1 : {T0}",
    "tma_load": (
        "ttng.async_tma_copy_global_to_local %desc[%zero, %zero] %{0}, %{1}, %cond : "
        "!tt.tensordesc<tensor<128x64xf16, #shared>>, {T1} -> {T0}"
    ),
    "tma_store": (
        "ttng.async_tma_copy_local_to_global %desc[%zero, %zero] %{0} : "
        "!tt.tensordesc<tensor<128x64xf16, #shared>>, {T0}"
    ),
    "tma_wait": "ttng.async_tma_store_wait {{pendings = {0} : i32}}",
    "tensormap": (
        "ttng.tensormap_create %ptr, %base, [%n, %n], [%n, %n], [%wide], [%n, %n] {{elem_type = 6 "
        ": i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}} : "
        "(!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()"
    ),
    "acquire": "ttng.tensormap_fenceproxy_acquire %ptr : !tt.ptr<i8>",
    "cp": (
        "%{r} = ttg.async_copy_global_to_local %p, %{0} : tensor<128x64x!tt.ptr<f16>, #regs> -> "
        "<128x64xf16, #shared, #smem, mutable>"
    ),
    "cp_commit": "%{r} = ttg.async_commit_group",
    "cp_wait": "%{r} = ttg.async_wait {{num = 0 : i32}}",
    "cp_arrive": "ttng.async_copy_mbarrier_arrive %{0} {{noIncrement}} : {T0}",
    "wgmma": (
        "%{r} = ttng.warp_group_dot %{0}, %{1}, %acc {{inputPrecision = 0 : i32, isAsync = true}} "
        ": {T0} * {T1} -> tensor<128x128xf32, #mma>"
    ),
    "wgmma_sync": (
        "%{r} = ttng.warp_group_dot %{0}, %{1}, %acc {{inputPrecision = 0 : i32}} "
        ": {T0} * {T1} -> tensor<128x128xf32, #mma>"
    ),
    "wgmma_wait": (
        "%{r} = ttng.warp_group_dot_wait %acc {{pendings = {0} : i32}} : tensor<128x128xf32, #mma>"
    ),
    "mma": "ttng.tc_gen5_mma %{0}, %{1}, %{2}, %cond, %cond : {T0}, {T1}, {T2}",
    "mma_async": (
        "ttng.tc_gen5_mma %{0}, %{1}, %{2}, %cond, %cond, %{3}[%cond] {{is_async}} : "
        "{T0}, {T1}, {T2}, {T3}"
    ),
    "commit": "ttng.tc_gen5_commit %{0} : {T0}",
    "tmem_store": "ttng.tmem_store {1[0]}, %{0}, %cond : {1[1]} -> {T0}",
    "tmem_load": "%{r} = ttng.tmem_load %{0} : {T0} -> {1[1]}",
    "tmem_init": "%{0} = ttng.tmem_alloc %t : (tensor<128x128xf32, #rows>) -> {T0}",
    "use": "ttg.local_dealloc %{0} : {T0}",
    "mma_tensor": "ttng.tc_gen5_mma %{0}, %bb, %{1}, %cond, %cond : {T0}, {TBB}, {T1}",
    "for": "scf.for %{r} = %zero to %n step %one : i32 {{",
    "if": "scf.if %cond {{",
    "while": "scf.while : () -> () {{",
    "do": "scf.condition(%cond) }} do {{",
    "end_while": "scf.yield }}",
    "else": "}} else {{",
    "}": "}}",
    "specialize": "ttg.warp_specialize({captures}) default {{",
    "partition": "ttg.warp_yield }} partition0({arguments}) num_warps(4) {{",
    "end_specialize": "ttg.warp_return }} : ({types}) -> ()",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """A function made from a listing.

    Attributes:
        function: The function.
        lines: The statements, without marks.
        operations: The operation of each statement; None for braces.
        marks: The marks before each statement: "", "|", "+" or "|+".
    """

    function: tt.FuncOp
    lines: tuple[str, ...]
    operations: tuple[Operation | None, ...]
    marks: tuple[str, ...]

    def buffer(self, name: str) -> SSAValue:
        """Find the result of an allocation by its name in the listing."""
        return next(
            op.results[0]
            for op in self.function.walk()
            if op.name in ("ttg.local_alloc", "ttng.tmem_alloc") and op.results[0].name_hint == name
        )

    def operation(self, line: str) -> Operation:
        """Find the operation of a statement that is there once."""
        (op,) = (op for op, other in zip(self.operations, self.lines, strict=True) if other == line)
        assert op is not None
        return op

    def marked(self, barriers: Iterable[Operation], fences: Iterable[Operation]) -> list[str]:
        """Write the listing with the marks of some barriers and fences."""
        barriers, fences = set(barriers), set(fences)
        return [
            f"{'|' * (op in barriers)}{'+' * (op in fences)} {line}".strip()
            for line, op in zip(self.lines, self.operations, strict=True)
        ]

    def expected(self) -> list[str]:
        """Write the listing with its own marks."""
        return [f"{mark} {line}".strip() for mark, line in zip(self.marks, self.lines, strict=True)]


def listing(text: str, *, alloc: bool = True, warps: int = 4) -> Listing:
    """Make a function from a listing.

    Args:
        text: The statements, one per line; `alloc a` and `tmem_alloc d` allocate.
        alloc: Whether every name is allocated at the start.
        warps: The number of warps.
    """
    marks: list[str] = []
    statements: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        mark, _, statement = line.partition(" ") if line[0] in "|+" else ("", "", line)
        marks.append(mark)
        statements.append(statement.strip())
    names = {
        word
        for statement in statements
        for word in statement.split()[1:]
        if word in TYPES or (word[0] in TYPES and word[1:].isdigit() and not word.endswith("9"))
    }
    lines = [HEAD.replace("WARPS", str(warps))]
    if alloc:
        lines += [_allocation(name) for name in sorted(names)]
    for number, statement in enumerate(statements):
        lines.append(_statement(statement, number))
    text = "\n".join(lines) + "\n  tt.return\n}\n}\n"
    module = parse_module(text)
    function = module.body.block.last_op
    assert isinstance(function, tt.FuncOp)
    return Listing(function, tuple(statements), _operations(function, statements), tuple(marks))


def _allocation(name: str) -> str:
    op = "ttng.tmem_alloc" if name[0] in "dh" else "ttg.local_alloc"
    return f"  %{name} = {op} : () -> {TYPES[name[0]]}"


def _statement(statement: str, number: int) -> str:
    word, *rest = statement.split()
    if word in ("alloc", "tmem_alloc"):
        return _allocation(rest[0])
    types = {f"T{index}": TYPES.get(name[0], "") for index, name in enumerate(rest)}
    value, tensor = TENSORS.get(rest[0][0], ("", "")) if rest else ("", "")
    arguments = [ROWS.get(name, name) for name in rest]
    return "  " + STATEMENTS[word].format(
        *arguments,
        r=f"r{number}",
        value=value,
        tensor=tensor,
        captures=", ".join(f"%{name}" for name in rest),
        arguments=", ".join(f"%{name}9: {TYPES.get(name[0])}" for name in rest),
        types=", ".join(TYPES.get(name[0], "") for name in rest),
        TBB=TYPES["b"].replace("64x128xf16", "128x128xf32"),
        **types,
    )


_SILENT = {"}", "else", "do", "end_while", "partition", "end_specialize"}
_NOT_LISTED = ("arith.constant", "tt.return", "scf.yield", "scf.condition", "ttg.warp_yield")


def _operations(function: tt.FuncOp, statements: Iterable[str]) -> tuple[Operation | None, ...]:
    """Assign operations to statements: both are in the same order."""
    statements = list(statements)
    allocated = sum(line.split()[0] in ("alloc", "tmem_alloc", "tmem_init") for line in statements)
    ops = [
        op
        for op in walk(function)
        if op is not function
        and op.name not in (*_NOT_LISTED, "ttg.warp_return", "ttg.warp_specialize.partitions")
    ]
    allocations = [op for op in ops if op.name in ("ttg.local_alloc", "ttng.tmem_alloc")]
    implicit = set(allocations[: len(allocations) - allocated])
    remaining = iter(op for op in ops if op not in implicit)
    return tuple(None if line.split()[0] in _SILENT else next(remaining) for line in statements)


def separate_allocation(function: tt.FuncOp, scratch: Iterable[str] = ("math.exp",)) -> Allocation:
    """Allocate every buffer and scratch memory at a separate offset."""
    buffers: dict[SSAValue, ByteRange] = {}
    scratches: dict[Operation, ByteRange] = {}
    offset = 0
    for op in walk(function):
        if isinstance(op, ttg.LocalAllocOp):
            buffers[op.results[0]] = ByteRange(offset, 1024)
        elif op.name in scratch:
            scratches[op] = ByteRange(offset, 1024)
        else:
            continue
        offset += 1024
    return Allocation(buffers, scratches, offset, buffer_aliases(function), {})


def memory_of(function: tt.FuncOp) -> TensorMemory:
    """Allocate the tensor memory of a function."""
    return tensor_memory(function, 512)
