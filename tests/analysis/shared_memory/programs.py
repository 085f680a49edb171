"""Random programs over buffers of shared memory, and every way through them.

A program is TTGIR text: buffers that are made, stored and loaded, operations with scratch memory
(`math.exp` stands for one), barriers, loops, conditionals, and loops that hand two buffers on in
turn. `ways` runs the parsed IR itself: each loop no, one or two times, each conditional both ways.
It knows nothing of the analyses that it is held against.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from hypothesis import strategies as st

from weft.ir import scf, tt
from weft.ir.builtin import Block, Operation, SSAValue
from weft.ir.text import parse_module

SIZES = (128, 256, 512)  # elements of f32
SCRATCH_BYTES = 768
LONGEST = 200  # ways through a program that are looked at

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


def statements(depth: int, *, turns: bool = True) -> st.SearchStrategy[list[Statement]]:
    """Return bodies: lists of statements that name buffers by number.

    Args: turns: whether loops may hand on buffers in turn, so that a value may be several.
    """
    number = st.integers(0, 5)
    plain = st.one_of(
        st.tuples(st.just("make"), st.sampled_from(SIZES), st.booleans()),
        st.tuples(st.just("store"), number),
        st.tuples(st.just("load"), number),
        st.tuples(st.just("scratch")),
        st.tuples(st.just("barrier")),
    )
    if not depth:
        return st.lists(plain, max_size=4)
    inner = statements(depth - 1, turns=turns)
    nested = st.one_of(
        st.tuples(st.just("for"), inner),
        st.tuples(st.just("if"), inner, inner),
        st.tuples(st.just("while"), inner, inner),
        *([st.tuples(st.just("turns"), number, number, inner)] if turns else []),
    )
    return st.lists(st.one_of(plain, plain, nested), max_size=5)


@dataclass(slots=True)
class _Text:
    """The text so far, and the buffers that may be named: (name, elements)."""

    lines: list[str] = field(default_factory=list)
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def body(self, given: Sequence[Statement], buffers: list[tuple[str, int]]) -> None:
        for word, *rest in given:
            getattr(self, f"write_{word}")(buffers, *rest)

    def write_make(self, buffers: list[tuple[str, int]], size: int, filled: bool) -> None:
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
            made = f"{self.name()} = ttg.local_load {name}"
            self.lines.append(f"{made} : {memory(size)} -> tensor<{size}xf32, #r>")

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

    def write_turns(
        self, buffers: list[tuple[str, int]], a: int, b: int, body: list[Statement]
    ) -> None:
        """Write a loop that carries two buffers of a size, and hands them on in turn."""
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


def parsed(given: Sequence[Statement]) -> tt.FuncOp:
    """Return the function of a program."""
    text = _Text()
    text.body(given, [])
    module = parse_module(HEAD + "\n".join(text.lines) + "\n" + TAIL)
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    return function


programs = statements(2).map(parsed)
plain_programs = statements(2, turns=False).map(parsed)

Step = tuple[Operation, tuple[SSAValue, ...]]
"""An operation that was run, and the allocations that its operands and results were."""
Way = list[Step]
_Env = dict[SSAValue, SSAValue]


def ways(function: tt.FuncOp) -> list[Way]:
    """Return the ways through a function, the first LONGEST of them."""
    block = function.regions[0].blocks[0]
    return [way for way, _ in islice(_block(list(block.ops), {}), LONGEST)]


def _block(ops: list[Operation], env: _Env) -> Iterator[tuple[Way, _Env]]:
    if not ops:
        yield [], env
        return
    for first, then in _op(ops[0], env):
        for rest, last in _block(ops[1:], then):
            yield first + rest, last


def _op(op: Operation, env: _Env) -> Iterator[tuple[Way, _Env]]:
    if isinstance(op, scf.ForOp):
        carried = [env.get(value) for value in op.init_args]
        for times in range(3):
            yield from _times(op, times, carried, env)
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
        touched = (*op.operands, *op.results)
        yield [(op, tuple(env[value] for value in touched if value in env))], env


def _times(
    op: scf.ForOp, times: int, carried: list[SSAValue | None], env: _Env
) -> Iterator[tuple[Way, _Env]]:
    if not times:
        bound = {r: v for r, v in zip(op.results, carried, strict=True) if v is not None}
        yield [], {**env, **bound}
        return
    block: Block = op.block
    bound = {a: v for a, v in zip(op.iter_args, carried, strict=True) if v is not None}
    for first, inside in _block(list(block.ops), {**env, **bound}):
        passed = [inside.get(value) for value in op.terminator.operands]
        for rest, last in _times(op, times - 1, passed, inside):
            yield first + rest, last
