"""Random programs over buffers of shared memory, and all execution paths through them.

A program is TTGIR text: buffers that are allocated, stored and loaded, operations with scratch
memory (`math.exp` represents one), barriers, loops, conditionals, and loops that carry two buffers
and swap them. `paths` executes the IR: each loop zero to two times, each conditional both ways.
It is independent of the analyses that it checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from hypothesis import strategies as st

from weft.analysis.allocation import Allocation, allocate
from weft.ir import scf, tt, ttg
from weft.ir.builtin import Block, Operation, SSAValue
from weft.ir.text import parse_module

SIZES = (128, 256, 512)  # elements of f32
SCRATCH_BYTES = 768
MAX_PATHS = 200  # paths of a program that are checked

HEAD = """
#r = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func public @kernel(%n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x128 = arith.constant dense<0.0> : tensor<128xf32, #r>
    %x256 = arith.constant dense<0.0> : tensor<256xf32, #r>
    %x512 = arith.constant dense<0.0> : tensor<512xf32, #r>
"""
TAIL = "    tt.return\n  }\n}\n"

Statement = tuple[object, ...]


def statements(depth: int, *, swaps: bool = True) -> st.SearchStrategy[list[Statement]]:
    """Generate bodies: lists of statements that refer to buffers by number.

    Args:
        depth: The number of levels of regions.
        swaps: Whether loops may swap buffers, so that a value may refer to several.
    """
    number = st.integers(0, 5)
    plain = st.one_of(
        st.tuples(st.just("alloc"), st.sampled_from(SIZES), st.booleans()),
        st.tuples(st.just("store"), number),
        st.tuples(st.just("load"), number),
        st.tuples(st.just("scratch")),
        st.tuples(st.just("barrier")),
    )
    if not depth:
        return st.lists(plain, max_size=4)
    inner = statements(depth - 1, swaps=swaps)
    nested = st.one_of(
        st.tuples(st.just("for"), inner),
        st.tuples(st.just("if"), inner, inner),
        st.tuples(st.just("while"), inner, inner),
        *([st.tuples(st.just("swap"), number, number, inner)] if swaps else []),
    )
    return st.lists(st.one_of(plain, plain, nested), max_size=5)


@dataclass(slots=True)
class _Text:
    """The text so far. Buffers that a statement can refer to are (name, elements)."""

    lines: list[str] = field(default_factory=list)
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def body(self, statements: Sequence[Statement], buffers: list[tuple[str, int]]) -> None:
        for word, *rest in statements:
            getattr(self, f"write_{word}")(buffers, *rest)

    def write_alloc(self, buffers: list[tuple[str, int]], size: int, filled: bool) -> None:
        name = self.name()
        init, kind = (f" %x{size} ", f"(tensor<{size}xf32, #r>)") if filled else (" ", "()")
        self.lines.append(f"{name} = ttg.local_alloc{init}: {kind} -> {memory(size)}")
        buffers.append((name, size))

    def write_store(self, buffers: list[tuple[str, int]], number: int) -> None:
        if buffers:
            name, size = buffers[number % len(buffers)]
            self.lines.append(
                f"ttg.local_store %x{size}, {name} : tensor<{size}xf32, #r> -> {memory(size)}"
            )

    def write_load(self, buffers: list[tuple[str, int]], number: int) -> None:
        if buffers:
            name, size = buffers[number % len(buffers)]
            load = f"{self.name()} = ttg.local_load {name}"
            self.lines.append(f"{load} : {memory(size)} -> tensor<{size}xf32, #r>")

    def write_scratch(self, buffers: list[tuple[str, int]]) -> None:
        self.lines.append(f"{self.name()} = math.exp %x128 : tensor<128xf32, #r>")

    def write_barrier(self, buffers: list[tuple[str, int]]) -> None:
        self.lines.append("ttg.barrier local")

    def write_for(self, buffers: list[tuple[str, int]], body: list[Statement]) -> None:
        self.lines.append(f"scf.for {self.name()} = %c0 to %n step %c1 : i32 {{")
        self.body(body, list(buffers))
        self.lines.append("}")

    def write_if(
        self, buffers: list[tuple[str, int]], then: list[Statement], other: list[Statement]
    ) -> None:
        self.lines.append("scf.if %c {")
        self.body(then, list(buffers))
        self.lines.append("} else {")
        self.body(other, list(buffers))
        self.lines.append("}")

    def write_while(
        self, buffers: list[tuple[str, int]], before: list[Statement], after: list[Statement]
    ) -> None:
        self.lines.append("scf.while : () -> () {")
        self.body(before, list(buffers))
        self.lines += ["scf.condition(%c)", "} do {"]
        self.body(after, list(buffers))
        self.lines += ["scf.yield", "}"]

    def write_swap(
        self, buffers: list[tuple[str, int]], a: int, b: int, body: list[Statement]
    ) -> None:
        """Write a loop that carries two buffers of one size and swaps them."""
        if not buffers:
            return
        first, size = buffers[a % len(buffers)]
        alike = [name for name, other in buffers if other == size]
        second = alike[b % len(alike)]
        p, q, result = self.name(), self.name(), self.name()
        kinds = f"{memory(size)}, {memory(size)}"
        self.lines.append(
            f"{result}:2 = scf.for {self.name()} = %c0 to %n step %c1"
            f" iter_args({p} = {first}, {q} = {second}) -> ({kinds}) : i32 {{"
        )
        self.body(body, [*buffers, (p, size), (q, size)])
        self.lines += [f"scf.yield {q}, {p} : {kinds}", "}"]
        buffers.append((f"{result}#1", size))


def memory(size: int) -> str:
    return f"!ttg.memdesc<{size}xf32, #s, #smem, mutable>"


def parse(statements: Sequence[Statement]) -> tt.FuncOp:
    """Parse the function of a program."""
    text = _Text()
    text.body(statements, [])
    module = parse_module(HEAD + "\n".join(text.lines) + "\n" + TAIL)
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    return function


programs = statements(2).map(parse)
plain_programs = statements(2, swaps=False).map(parse)

Step = tuple[Operation, tuple[SSAValue, ...]]
"""An operation that was executed, and the buffers that its operands and results referred to."""
Path = list[Step]
_Env = dict[SSAValue, SSAValue]


def paths(function: tt.FuncOp) -> list[Path]:
    """List the execution paths through a function, the first MAX_PATHS of them."""
    block = function.regions[0].blocks[0]
    return [path for path, _ in islice(_block(list(block.ops), {}), MAX_PATHS)]


def _block(ops: list[Operation], env: _Env) -> Iterator[tuple[Path, _Env]]:
    if not ops:
        yield [], env
        return
    for first, env_after in _op(ops[0], env):
        for rest, last_env in _block(ops[1:], env_after):
            yield first + rest, last_env


def _op(op: Operation, env: _Env) -> Iterator[tuple[Path, _Env]]:
    if isinstance(op, scf.ForOp):
        carried = [env.get(value) for value in op.init_args]
        for times in range(3):
            yield from _iterations(op, times, carried, env)
    elif isinstance(op, scf.IfOp):
        for region in op.regions:
            yield from _block(list(region.block.ops) if region.blocks else [], env)
    elif isinstance(op, scf.WhileOp):
        for times in range(3):
            blocks = [op.before_block, *[op.after_block, op.before_block] * times]
            yield from _block([each for block in blocks for each in block.ops], env)
    else:
        if op.name == "ttg.local_alloc":
            env = {**env, op.results[0]: op.results[0]}
        values = (*op.operands, *op.results)
        yield [(op, tuple(env[value] for value in values if value in env))], env


def _iterations(
    op: scf.ForOp, times: int, carried: list[SSAValue | None], env: _Env
) -> Iterator[tuple[Path, _Env]]:
    if not times:
        bound = {r: v for r, v in zip(op.results, carried, strict=True) if v is not None}
        yield [], {**env, **bound}
        return
    block: Block = op.block
    bound = {a: v for a, v in zip(op.iter_args, carried, strict=True) if v is not None}
    for first, inside in _block(list(block.ops), {**env, **bound}):
        yielded = [inside.get(value) for value in op.terminator.operands]
        for rest, last_env in _iterations(op, times - 1, yielded, inside):
            yield first + rest, last_env


SCRATCH = "math.exp"


def buffer_bytes(value: SSAValue) -> int:
    assert isinstance(value.type, ttg.MemDescType)
    return 4 * value.type.shape[0]


def scratch_bytes(op: Operation) -> int:
    return SCRATCH_BYTES if op.name == SCRATCH else 0


def allocated(function: tt.FuncOp) -> Allocation:
    """Allocate the shared memory of a program."""
    return allocate(function, buffer_bytes, scratch_bytes)


def is_store(op: Operation) -> bool:
    return op.name == "ttg.local_store" or (op.name == "ttg.local_alloc" and bool(op.operands))
