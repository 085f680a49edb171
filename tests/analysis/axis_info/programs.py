"""Random integer programs, and their values by evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ShapedType

from weft.analysis.axis_info import AxisInfo, axis_info
from weft.interpreter import run
from weft.ir import tt
from weft.ir.text import parse_module

ROWS, COLUMNS = 8, 32
VECTOR, TILE = f"tensor<{COLUMNS}xi64>", f"tensor<{ROWS}x{COLUMNS}xi64>"
CONSTANTS = (0, 1, 2, 3, 4, 6, 8, 16, 32, 64)
DIVISORS = (1, 2, 3, 4, 8, 16, 64)
LARGEST = 1 << 16


@dataclass
class Program:
    """A kernel under construction.

    Values in the pools are not negative and below LARGEST, so nothing wraps: the analysis assumes
    that, as Triton's does.

    Attributes:
        draw: Draws random numbers.
        lines: The operations.
        scalars: Names of scalars that later operations may use.
        vectors: Names of vectors.
        tiles: Names of tiles.
        checked: (name, type) of the values that the kernel stores, to be compared with the facts.
        count: The number of names.
    """

    draw: st.DrawFn
    lines: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=lambda: ["%n16", "%n8", "%n1"])
    vectors: list[str] = field(default_factory=list)
    tiles: list[str] = field(default_factory=list)
    checked: list[tuple[str, str]] = field(default_factory=list)
    count: int = 0

    def emit(self, text: str) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        return name

    def pick(self, values) -> str:
        return self.draw(st.sampled_from(list(values)))

    def constant(self, type_: str, values=CONSTANTS) -> str:
        value = self.pick(values)
        literal = f"{value}" if type_ == "i64" else f"dense<{value}>"
        return self.emit(f"arith.constant {literal} : {type_}")

    def keep(self, pool: list[str], value: str, type_: str) -> None:
        """Check a value, and add it to a pool, modulo LARGEST if it may be large."""
        self.checked.append((value, type_))
        literal = f"{LARGEST}" if type_ == "i64" else f"dense<{LARGEST}>"
        bound = self.emit(f"arith.constant {literal} : {type_}")
        reduced = self.emit(f"arith.remsi {value}, {bound} : {type_}")
        self.checked.append((reduced, type_))
        pool.append(value if self.small(value) else reduced)

    def small(self, value: str) -> bool:
        line = next(line for line in self.lines if line.startswith(f"{value} = "))
        return not any(op in line for op in ("muli", "shli", "addi"))

    def binary(self, pool: list[str], type_: str) -> None:
        op = self.pick(
            ["addi"] * 5 + ["muli"] * 3
            + ["divsi", "divui", "remsi", "remui", "andi", "ori", "xori", "shli", "shrsi", "shrui"]
            + ["minsi", "maxsi", "minui", "maxui", "sub"]
        )  # fmt: skip
        a = self.pick(pool)
        if op == "sub":
            difference = self.emit(f"arith.subi {a}, {self.pick(pool)} : {type_}")
            self.checked.append((difference, type_))
            zero = self.constant(type_, (0,))
            value = self.emit(f"arith.maxsi {difference}, {zero} : {type_}")
        elif op.startswith(("div", "rem")):
            value = self.emit(f"arith.{op} {a}, {self.constant(type_, DIVISORS)} : {type_}")
        elif op.startswith("sh"):
            value = self.emit(f"arith.{op} {a}, {self.constant(type_, (0, 1, 2, 5))} : {type_}")
        else:
            b = self.pick(pool) if self.draw(st.booleans()) else self.constant(type_)
            a, b = (b, a) if self.draw(st.booleans()) else (a, b)
            value = self.emit(f"arith.{op} {a}, {b} : {type_}")
        self.keep(pool, value, type_)

    def choose(self, pool: list[str], type_: str) -> None:
        bits = type_.replace("i64", "i1")
        predicate = self.pick(("slt", "sle", "sgt", "sge", "ult", "uge", "eq", "ne"))
        mask = self.emit(f"arith.cmpi {predicate}, {self.pick(pool)}, {self.pick(pool)} : {type_}")
        if type_ != "i64":
            shown = self.emit(f"arith.extui {mask} : {bits} to {type_}")
            self.checked.append((shown, type_))
        scalar = type_ != "i64" and self.draw(st.booleans())
        condition, kinds = ("%c", type_) if scalar or type_ == "i64" else (mask, f"{bits}, {type_}")
        value = self.emit(
            f"arith.select {condition}, {self.pick(pool)}, {self.pick(pool)} : {kinds}"
        )
        self.keep(pool, value, type_)

    def vector(self, ranges: bool) -> None:
        if ranges:
            start = self.draw(st.sampled_from((0, 0, 32, 4, 3)))
            self.vectors.append(
                self.emit(
                    f"tt.make_range {{end = {start + COLUMNS} : i32, start = {start} : i32}} : "
                    f"tensor<{COLUMNS}xi32>"
                )
            )
            self.vectors[-1] = self.emit(
                f"arith.extsi {self.vectors[-1]} : tensor<{COLUMNS}xi32> to {VECTOR}"
            )
        else:
            self.vectors.append(self.emit(f"tt.splat {self.pick(self.scalars)} : i64 -> {VECTOR}"))

    def tile(self) -> None:
        kind = self.pick(("rows", "columns", "splat", "turned"))
        if kind == "splat":
            self.tiles.append(self.emit(f"tt.splat {self.pick(self.scalars)} : i64 -> {TILE}"))
            return
        if kind == "columns" and self.vectors:
            row = self.emit(
                f"tt.expand_dims {self.pick(self.vectors)} {{axis = 0 : i32}} : {VECTOR} -> "
                f"tensor<1x{COLUMNS}xi64>"
            )
            wide = self.emit(f"tt.broadcast {row} : tensor<1x{COLUMNS}xi64> -> {TILE}")
        else:
            start = self.draw(st.sampled_from((0, 8, 2)))
            range_ = self.emit(
                f"tt.make_range {{end = {start + ROWS} : i32, start = {start} : i32}} : "
                f"tensor<{ROWS}xi32>"
            )
            long = self.emit(f"arith.extsi {range_} : tensor<{ROWS}xi32> to tensor<{ROWS}xi64>")
            column = self.emit(
                f"tt.expand_dims {long} {{axis = 1 : i32}} : tensor<{ROWS}xi64> -> "
                f"tensor<{ROWS}x1xi64>"
            )
            wide = self.emit(f"tt.broadcast {column} : tensor<{ROWS}x1xi64> -> {TILE}")
        if kind == "turned":
            turned = f"tensor<{COLUMNS}x{ROWS}xi64>"
            across = self.emit(f"tt.trans {wide} {{order = array<i32: 1, 0>}} : {TILE} -> {turned}")
            self.checked.append((across, turned))
            wide = self.emit(f"tt.trans {across} {{order = array<i32: 1, 0>}} : {turned} -> {TILE}")
        self.checked.append((wide, TILE))
        self.tiles.append(wide)

    def loop(self) -> None:
        """Carry a number and a vector round a loop of up to three turns."""
        start, step = self.constant("i64", (0, 1, 8)), self.constant("i64", (1, 2, 4))
        stop = self.constant("i64", (0, 1, 5, 12))
        number, vector = self.pick(self.scalars), self.pick(self.vectors)
        by, others = self.constant("i64"), self.pick(self.vectors)
        self.count += 1
        at = self.count
        types = f"i64, {VECTOR}"
        self.lines += [
            f"%r{at}:2 = scf.for %i{at} = {start} to {stop} step {step} iter_args(%a{at} = "
            f"{number}, %b{at} = {vector}) -> ({types})  : i64 {{",
            f"%x{at} = arith.{self.pick(('addi', 'maxsi', 'minsi'))} %a{at}, "
            f"{self.pick((by, f'%i{at}'))} : i64",
            f"%s{at} = tt.splat %x{at} : i64 -> {VECTOR}",
            f"%y{at} = arith.{self.pick(('addi', 'maxsi'))} %b{at}, "
            f"{self.pick((others, f'%s{at}'))} : {VECTOR}",
            f"scf.yield %x{at}, %y{at} : {types}",
            "}",
        ]
        for index, (pool, type_) in enumerate(((self.scalars, "i64"), (self.vectors, VECTOR))):
            zero = self.constant(type_, (0,))
            copied = self.emit(f"arith.addi %r{at}#{index}, {zero} : {type_}")
            self.keep(pool, copied, type_)

    def branch(self) -> None:
        self.count += 1
        at = self.count
        self.lines += [
            f"%r{at} = scf.if %c -> ({VECTOR}) {{",
            f"scf.yield {self.pick(self.vectors)} : {VECTOR}",
            "} else {",
            f"scf.yield {self.pick(self.vectors)} : {VECTOR}",
            "}",
        ]
        zero = self.constant(VECTOR, (0,))
        self.keep(self.vectors, self.emit(f"arith.addi %r{at}, {zero} : {VECTOR}"), VECTOR)

    def text(self) -> str:
        """Write the kernel: it stores the checked values one after the other."""
        stores = []
        at = 0
        for index, (value, type_) in enumerate(self.checked):
            shape = tuple(int(size) for size in type_[7:-1].split("x")[:-1]) if "<" in type_ else ()
            stores += _store(index, value, shape, at)
            at += int(np.prod(shape, dtype=int))
        body = "\n".join("    " + line for line in (*self.lines, *stores))
        return (
            "module {\n  tt.func public @k(%out: !tt.ptr<i64>, "
            "%n16: i64 {tt.divisibility = 16 : i32}, %n8: i64 {tt.divisibility = 8 : i32}, "
            f"%n1: i64, %c: i1) {{\n{body}\n    tt.return\n  }}\n}}\n"
        )


def _store(index: int, value: str, shape: tuple[int, ...], at: int) -> list[str]:
    name = f"s{index}"
    if not shape:
        return [
            f"%{name}o = arith.constant {at} : i32",
            f"%{name}p = tt.addptr %out, %{name}o : !tt.ptr<i64>, i32",
            f"tt.store %{name}p, {value} : !tt.ptr<i64>",
        ]
    count = int(np.prod(shape))
    flat, pointers = f"tensor<{count}xi64>", f"tensor<{count}x!tt.ptr<i64>>"
    lines = [
        f"%{name}r = tt.make_range {{end = {at + count} : i32, start = {at} : i32}} : "
        f"tensor<{count}xi32>",
        f"%{name}p = tt.splat %out : !tt.ptr<i64> -> {pointers}",
        f"%{name}q = tt.addptr %{name}p, %{name}r : {pointers}, tensor<{count}xi32>",
    ]
    if len(shape) > 1:
        tile = f"tensor<{'x'.join(map(str, shape))}xi64>"
        lines.append(f"%{name}v = tt.reshape {value} : {tile} -> {flat}")
        value = f"%{name}v"
    return [*lines, f"tt.store %{name}q, {value} : {pointers}"]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Draw a program of a few steps."""
    program = Program(draw)
    program.vector(ranges=True)
    program.vector(ranges=False)
    program.tile()
    for _ in range(draw(st.integers(2, 8))):
        step = draw(
            st.sampled_from(("scalar", "vector", "vector", "tile", "tile", "new", "loop", "branch"))
        )
        if step == "new":
            program.vector(ranges=draw(st.booleans()))
            program.tile()
        elif step == "loop":
            program.loop()
        elif step == "branch":
            program.branch()
        else:
            pool, type_ = {
                "scalar": (program.scalars, "i64"),
                "vector": (program.vectors, VECTOR),
                "tile": (program.tiles, TILE),
            }[step]
            draw(st.sampled_from((program.binary, program.binary, program.choose)))(pool, type_)
    return program


def claims_and_values(
    program: Program, numbers: tuple[int, int, int], condition: bool
) -> list[tuple[str, AxisInfo, np.ndarray]]:
    """List (name, facts, elements) of the checked values of a program."""
    text = program.text()
    module = parse_module(text)
    info = axis_info(module)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    stores = [op for op in function.entry.ops if isinstance(op, tt.StoreOp)]
    out = np.full(1 << 17, -1, np.int64)
    run(module, "k", (1,), [out, *numbers, condition])
    result = []
    at = 0
    for (name, _), store in zip(program.checked, stores, strict=True):
        value = store.value
        if isinstance(value.owner, tt.ReshapeOp):
            value = value.owner.operands[0]
        shape = value.type.get_shape() if isinstance(value.type, ShapedType) else (1,)
        count = int(np.prod(shape))
        result.append((name, info[value], out[at : at + count].reshape(shape)))
        at += count
    return result
