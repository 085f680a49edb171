"""Each instruction of LLVM IR as a function from its text to a step over all threads.

    fadd contract float %v1, %v2    →    block.set(result, block.get("%v1") + block.get("%v2"))

The text is read once, when the kernel is; the step runs each time control passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from weft.errors import CodegenError
from weft.simulator.state import Block, Step, constant
from weft.simulator.text import Instruction, split_arguments
from weft.simulator.types import Type, dtype_of, parse_type

__all__ = ["compile_instruction"]

_FLAGS = re.compile(r"^(?:(?:nsw|nuw|exact|disjoint|contract|nnan|ninf|nsz|arcp|afn|reassoc) )+")
Make = Callable[[Instruction], Step]
_INDEX = Type("i32")


def _unsigned(values: np.ndarray) -> np.ndarray:
    """Return integers read as unsigned."""
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _signed_division(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return quotient towards zero and remainder; 0 by 0, which is nobody's business."""
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    rest = np.fmod(a, safe)
    with np.errstate(over="ignore"):
        return (a - rest) // safe, rest


def _unsigned_division(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x, y = _unsigned(a), _unsigned(b)
    safe = np.where(y == 0, 1, y).astype(x.dtype)
    return (x // safe).view(a.dtype), (x % safe).view(a.dtype)


def _shift(kind: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype == np.object_:
            return a << b if kind == "shl" else a >> b
        amount = _unsigned(b) % np.array(8 * a.dtype.itemsize, _unsigned(b).dtype)
        if kind == "shl":
            return (_unsigned(a) << amount).view(a.dtype)
        if kind == "lshr":
            return (_unsigned(a) >> amount).view(a.dtype)
        return a >> amount.astype(a.dtype)

    return run


_BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": _shift("shl"),
    "lshr": _shift("lshr"),
    "ashr": _shift("ashr"),
    "sdiv": lambda a, b: _signed_division(a, b)[0],
    "srem": lambda a, b: _signed_division(a, b)[1],
    "udiv": lambda a, b: _unsigned_division(a, b)[0],
    "urem": lambda a, b: _unsigned_division(a, b)[1],
    "fadd": np.add,
    "fsub": np.subtract,
    "fmul": np.multiply,
    "fdiv": np.divide,
    "frem": np.fmod,
}


def _binary(one: Instruction) -> Step:
    run = _BINARY[one.word]
    type_, rest = parse_type(_FLAGS.sub("", one.rest))
    first, second = split_arguments(rest)[:2]
    a, b = constant(first, type_), constant(second, type_)

    def step(block: Block) -> None:
        x, y = np.broadcast_arrays(block.get(a), block.get(b))
        block.set(one.result, run(x, y) if x.dtype != np.bool_ else _of_bits(run, x, y))

    return step


def _of_bits(
    run: Callable[[np.ndarray, np.ndarray], np.ndarray], a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Return an operation on i1, whose true is -1."""
    return (run(-a.astype(np.int8), -b.astype(np.int8)) & 1).astype(np.bool_)


_INTEGER_PREDICATE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
}
_FLOAT_PREDICATE = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "ne": np.not_equal,
}


def _compare_integers(one: Instruction) -> Step:
    predicate, _, rest = one.rest.partition(" ")
    type_, rest = parse_type(rest)
    a, b = (constant(text, type_) for text in split_arguments(rest))
    unsigned = predicate.startswith("u")
    run = _INTEGER_PREDICATE["s" + predicate[1:] if unsigned else predicate]

    def step(block: Block) -> None:
        x, y = block.get(a), block.get(b)
        block.set(one.result, run(_unsigned(x), _unsigned(y)) if unsigned else run(x, y))

    return step


def _compare_floats(one: Instruction) -> Step:
    predicate, _, rest = one.rest.partition(" ")
    type_, rest = parse_type(rest)
    a, b = (constant(text, type_) for text in split_arguments(rest))

    def step(block: Block) -> None:
        x, y = block.get(a), block.get(b)
        nan = np.isnan(x) | np.isnan(y)
        if predicate in ("ord", "uno", "true", "false"):
            found = {"ord": ~nan, "uno": nan, "true": nan | True, "false": nan & False}[predicate]
        else:
            with np.errstate(invalid="ignore"):
                holds = _FLOAT_PREDICATE[predicate[1:]](x, y)
            found = holds & ~nan if predicate[0] == "o" else holds | nan
        block.set(one.result, found)

    return step


def _negate(one: Instruction) -> Step:
    type_, rest = parse_type(_FLAGS.sub("", one.rest))
    a = constant(rest, type_)
    return lambda block: block.set(one.result, -block.get(a))


def _select(one: Instruction) -> Step:
    operands = []
    for part in split_arguments(one.rest):
        type_, rest = parse_type(part)
        operands.append(constant(rest, type_))
    chosen, a, b = operands

    def step(block: Block) -> None:
        which, x, y = block.get(chosen), block.get(a), block.get(b)
        which = which.reshape(-1, *[1] * (x.ndim - which.ndim), *which.shape[1:])  # of vectors
        block.set(one.result, np.where(which, x, y))

    return step


def _cast(one: Instruction) -> Step:
    source, rest = parse_type(one.rest)
    text, _, target_text = rest.partition(" to ")
    target, _ = parse_type(target_text)
    a = constant(text.strip(), source)
    convert = _CASTS[one.word]
    return lambda block: block.set(one.result, convert(block.get(a), source, target))


def _extend_unsigned(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    return _unsigned(values).astype(dtype_of(target))


def _truncate(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    if target.name == "i1":
        return (values & 1).astype(np.bool_)
    if values.dtype == np.object_:
        dtype = dtype_of(target)
        unsigned = np.dtype(f"u{dtype.itemsize}")
        return (values & int(np.iinfo(unsigned).max)).astype(unsigned).view(dtype)
    return values.astype(dtype_of(target))


def _to_float_unsigned(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    return _unsigned(values).astype(dtype_of(target))


def _extend_signed(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    wide = values.astype(dtype_of(target))
    return -wide if values.dtype == np.bool_ else wide


def _same_bits(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    rows = np.ascontiguousarray(values).reshape(values.shape[0], -1)
    found = rows.view(dtype_of(target))
    return found if target.count else found[:, 0]


def _convert(values: np.ndarray, source: Type, target: Type) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if source.name == "double" and target.name == "bfloat":
            values = _to_odd(values)
        return values.astype(dtype_of(target))


def _to_odd(values: np.ndarray) -> np.ndarray:
    """Return doubles as floats that round to a smaller type as the doubles do.

    ml_dtypes rounds twice, by way of float; so the float has its last bit set if anything was lost.
    """
    near = values.astype(np.float32)
    back = near.astype(np.float64)
    bits = near.view(np.int32) - (np.abs(back) > np.abs(values))
    bits |= (back != values) & ~np.isnan(values)
    return bits.astype(np.int32).view(np.float32)


_CASTS: dict[str, Callable[[np.ndarray, Type, Type], np.ndarray]] = {
    "sext": _extend_signed,
    "zext": _extend_unsigned,
    "trunc": _truncate,
    "fpext": _convert,
    "fptrunc": _convert,
    "sitofp": lambda v, s, t: _extend_signed(v, s, t) if s.name == "i1" else _convert(v, s, t),
    "uitofp": _to_float_unsigned,
    "fptosi": _convert,
    "fptoui": lambda v, s, t: v.astype(np.uint64).astype(dtype_of(t)),
    "bitcast": _same_bits,
    "ptrtoint": _convert,
    "inttoptr": _convert,
    "addrspacecast": _convert,
}


def _address(one: Instruction) -> Step:
    text = one.rest.removeprefix("inbounds ")
    parts = split_arguments(text)
    element, _ = parse_type(parts[0])
    size = element.bytes_each * max(1, element.count)
    base_type, base_text = parse_type(parts[1])
    index_type, index_text = parse_type(parts[2])
    base, index = constant(base_text, base_type), constant(index_text, index_type)

    def step(block: Block) -> None:
        offset = block.get(index).astype(np.int64) * size
        block.set(one.result, block.get(base) + offset)

    return step


def _load(one: Instruction) -> Step:
    parts = split_arguments(one.rest.removeprefix("volatile "))
    type_, _ = parse_type(parts[0])
    pointer_type, text = parse_type(parts[1])
    pointer, size = constant(text, pointer_type), type_.bytes_each * max(1, type_.count)

    def step(block: Block) -> None:
        memory = block.shared if pointer_type.space == 3 else block.memory
        memory.traffic.add("load", size, block.warps)
        block.set(one.result, memory.load(type_, block.get(pointer), block.mask))

    return step


def _store(one: Instruction) -> Step:
    parts = split_arguments(one.rest.removeprefix("volatile "))
    type_, text = parse_type(parts[0])
    pointer_type, where = parse_type(parts[1])
    if type_.members:  # into a buffer of the thread's own, which is named by its pointer
        return lambda block: block.set_members(where, block.members(text))
    value, pointer = constant(text, type_), constant(where, pointer_type)
    size = type_.bytes_each * max(1, type_.count)

    def step(block: Block) -> None:
        memory = block.shared if pointer_type.space == 3 else block.memory
        memory.traffic.add("store", size, block.warps)
        memory.store(type_, block.get(pointer), block.get(value), block.mask)

    return step


def _extract_element(one: Instruction) -> Step:
    vector, index = split_arguments(one.rest)
    type_, text = parse_type(vector)
    source, position = constant(text, type_), constant(index.split()[-1], _INDEX)

    def step(block: Block) -> None:
        whole, places = block.get(source), block.get(position)
        if places.shape[0] == 1:
            block.set(one.result, whole[:, int(places[0])])
            return
        rows = np.broadcast_to(whole, (places.shape[0], whole.shape[1]))
        block.set(one.result, rows[np.arange(places.shape[0]), places])

    return step


def _insert_element(one: Instruction) -> Step:
    vector, element, index = split_arguments(one.rest)
    type_, text = parse_type(vector)
    element_type, value = parse_type(element)
    source, new = constant(text, type_), constant(value, element_type)
    position = constant(index.split()[-1], _INDEX)

    def step(block: Block) -> None:
        old, given, places = block.get(source), block.get(new), block.get(position)
        rows = max(old.shape[0], given.shape[0], places.shape[0])
        whole = np.broadcast_to(old, (rows, type_.count)).copy()
        if places.shape[0] == 1:
            whole[:, int(places[0])] = given
        else:
            whole[np.arange(rows), places] = given
        block.set(one.result, whole)

    return step


def _insert_value(one: Instruction) -> Step:
    whole, element, index = split_arguments(one.rest)
    type_, source = parse_type(whole)
    element_type, value = parse_type(element)
    new, place = constant(value, element_type), int(index)

    def step(block: Block) -> None:
        if source == "poison":
            members = [np.zeros(1, dtype_of(kind)) for kind in type_.members]
        else:
            members = list(block.members(source))
        members[place] = block.get(new)
        block.set_members(one.result, tuple(members))

    return step


def _extract_value(one: Instruction) -> Step:
    source, index = split_arguments(one.rest)
    _, text = parse_type(source)

    def step(block: Block) -> None:
        block.set(one.result, block.members(text)[int(index)])

    return step


def _nothing(one: Instruction) -> Step:
    return lambda block: None


_MAKERS: dict[str, Make] = {
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_CASTS, _cast),
    "icmp": _compare_integers,
    "fcmp": _compare_floats,
    "fneg": _negate,
    "select": _select,
    "getelementptr": _address,
    "load": _load,
    "store": _store,
    "extractelement": _extract_element,
    "insertelement": _insert_element,
    "extractvalue": _extract_value,
    "insertvalue": _insert_value,
    "alloca": _nothing,
    "fence": _nothing,
}


def compile_instruction(one: Instruction) -> Step:
    """Return an instruction as a step.

    Raises: CodegenError: the simulator does not know it.
    """
    if one.word == "call":
        from weft.simulator.calls import compile_call

        return compile_call(one)
    if one.word in ("atomicrmw", "cmpxchg"):
        from weft.simulator.atomics import compile_update

        return compile_update(one)
    maker = _MAKERS.get(one.word)
    if maker is None:
        raise CodegenError(
            f"the simulator has no {one.word}", found=f"{one.result} = {one.word} {one.rest}"
        )
    return maker(one)
