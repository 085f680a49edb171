"""Ranges hold: random programs are run by the interpreter, and every number is within its range.

A program is a list of statements over the scalars so far; each new scalar is stored, in a place of
its own for each round of the loops around it, and read back after the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weft.analysis.integer_ranges import IntegerRanges
from weft.interpreter import run
from weft.ir import arith, tt
from weft.ir.builtin import IntegerAttr
from weft.ir.text import parse_module

BINARY = (
    "addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"
)  # fmt: skip
BY_CONSTANT = (
    "divsi",
    "divui",
    "remsi",
    "remui",
    "ceildivsi",
    "floordivsi",
    "shli",
    "shrsi",
    "shrui",
)
COMPARE = ("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne")
ROUNDS = 12
CONSTANTS = st.one_of(
    st.integers(-20, 20), st.sampled_from([2**31 - 1, -(2**31), 65536, -65536, 2**20, 1023])
)


@dataclass
class Program:
    """The text of a program so far."""

    lines: list[str] = field(default_factory=list)
    stored: int = 0
    names: int = 0
    depth: int = 1

    def say(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def store(self, value: str, counters: list[str]) -> None:
        """Store a value where this round of the loops around it has its place."""
        at = self.name()
        self.say(f"{at} = arith.constant {self.stored * ROUNDS * ROUNDS} : i32")
        for scale, counter in zip((1, ROUNDS), counters, strict=False):
            k, product, total = self.name(), self.name(), self.name()
            self.say(f"{k} = arith.constant {scale} : i32")
            self.say(f"{product} = arith.muli {counter}, {k} : i32")
            self.say(f"{total} = arith.addi {at}, {product} : i32")
            at = total
        place = self.name()
        self.say(f"{place} = tt.addptr %p, {at} : !tt.ptr<i32>, i32")
        self.say(f"tt.store {place}, {value} {{place = {self.stored} : i32}} : !tt.ptr<i32>")
        self.stored += 1


def constant(program: Program, number: int) -> str:
    name = program.name()
    program.say(f"{name} = arith.constant {number} : i32")
    return name


def statements(draw, program: Program, scalars: list[str], counters: list[str], count: int) -> None:
    """Add statements that read the scalars in scope."""
    for _ in range(count):
        kind = draw(st.sampled_from(["binary", "binary", "constant", "by", "select", "if", "for"]))
        a, b = (draw(st.sampled_from(scalars)) for _ in range(2))
        name = program.name()
        if kind == "constant":
            program.say(f"{name} = arith.constant {draw(CONSTANTS)} : i32")
        elif kind == "by":
            op = draw(st.sampled_from(BY_CONSTANT))
            by = draw(
                st.integers(0, 31) if op.startswith("sh") else st.sampled_from([1, 2, 3, 7, 64, -3])
            )
            k = constant(program, by)
            program.say(f"{name} = arith.{op} {a}, {k} : i32")
        elif kind == "select":
            c = program.name()
            program.say(f"{c} = arith.cmpi {draw(st.sampled_from(COMPARE))}, {a}, {b} : i32")
            program.say(f"{name} = arith.select {c}, {a}, {b} : i32")
        elif kind == "if":
            c = program.name()
            program.say(f"{c} = arith.cmpi {draw(st.sampled_from(COMPARE))}, {a}, {b} : i32")
            program.say(f"{name} = scf.if {c} -> (i32) {{")
            for last in (False, True):
                inner = list(scalars)
                program.depth += 1
                statements(draw, program, inner, counters, draw(st.integers(0, 2)))
                program.say(f"scf.yield {inner[-1]} : i32")
                program.depth -= 1
                program.say("}" if last else "} else {")
        elif kind == "for" and len(counters) < 2:
            loop(draw, program, scalars, counters, name, (a, b))
            continue
        else:
            op = draw(st.sampled_from(BINARY))
            program.say(f"{name} = arith.{op} {a}, {b} : i32")
        program.store(name, counters)
        scalars.append(name)


def loop(draw, program, scalars, counters, name, inits) -> None:
    """Add a loop of at most ROUNDS rounds that carries two numbers."""
    low, high, step = (constant(program, k) for k in (0, draw(st.integers(0, ROUNDS)), 1))
    i, x, y = program.name(), program.name(), program.name()
    program.say(
        f"{name}:2 = scf.for {i} = {low} to {high} step {step} "
        f"iter_args({x} = {inits[0]}, {y} = {inits[1]}) -> (i32, i32) : i32 {{"
    )
    inner = [*scalars, i, x, y]
    program.depth += 1
    statements(draw, program, inner, [*counters, i], draw(st.integers(1, 4)))
    yielded = [draw(st.sampled_from(inner[len(scalars) :])) for _ in range(2)]
    program.say(f"scf.yield {yielded[0]}, {yielded[1]} : i32, i32")
    program.depth -= 1
    program.say("}")
    for result in (f"{name}#0", f"{name}#1"):
        program.store(result, counters)
        scalars.append(result)


@st.composite
def programs(draw) -> tuple[str, int]:
    program = Program()
    program.say("%id = tt.get_program_id x : i32")
    program.say("%count = tt.get_num_programs x : i32")
    program.say("%most = arith.constant 50 : i32")
    program.say("%few = arith.cmpi slt, %n, %most : i32")
    program.say("llvm.intr.assume %few : i1")
    statements(draw, program, ["%id", "%count", "%n", "%m"], [], draw(st.integers(2, 8)))
    lines = "\n".join(program.lines)
    text = f"tt.func public @k(%p: !tt.ptr<i32>, %n: i32, %m: i32) {{\n{lines}\n  tt.return\n}}\n"
    return text, program.stored


UNTOUCHED = 0x5EED5EED


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))  # pyright: ignore[reportArgumentType]
@given(programs(), st.integers(-(2**31), 49), st.integers(-(2**31), 2**31 - 1))
def test_every_number_is_within_its_range(name, n, m):
    text, stored = name
    module = parse_module(text)
    ranges = IntegerRanges(module)
    memory = np.full(stored * ROUNDS * ROUNDS, UNTOUCHED, np.int32)
    promised = "\n".join(line for line in text.splitlines() if "assume" not in line)
    run(parse_module(promised), "k", (1,), [memory, n, m], progress=False)
    for op in module.walk():
        if not isinstance(op, tt.StoreOp):
            continue
        attribute = op.attributes["place"]
        assert isinstance(attribute, IntegerAttr)
        place = attribute.value.data * ROUNDS * ROUNDS
        range_ = ranges.of(op.value)
        for number in memory[place : place + ROUNDS * ROUNDS]:
            if number != UNTOUCHED:
                assert range_ is not None, f"{op} ran\n{text}"
                assert range_.smin <= number <= range_.smax, f"{op}: {range_}\n{text}"
                unsigned = int(number) & 0xFFFFFFFF
                assert range_.umin <= unsigned <= range_.umax, f"{op}: {range_}\n{text}"


def test_a_comparison_is_decided_only_if_it_is_always_true_or_false():
    text = """
tt.func public @k(%p: !tt.ptr<i1>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %c1 : i32
    scf.yield %b : i32
  }
  %less = arith.cmpi slt, %r, %c10 : i32
  %most = arith.cmpi sle, %r, %c10 : i32
  tt.return
}
"""
    module = parse_module(text)
    ranges = IntegerRanges(module)
    less, most = (op for op in module.walk() if isinstance(op, arith.CmpIOp))
    assert ranges.comparison_result(less) is None  # ten rounds: the result is 10
    assert ranges.comparison_result(most) is True
