"""Atomic updates: the final memory, the old value of each thread, and predicates."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.simulator.programs import TYPES, run_text
from weft.errors import CodegenError

OPERATIONS = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "min": np.minimum,
}


def in_order(function, memory: np.ndarray, places: np.ndarray, values: np.ndarray):
    """Compute the final memory, and the old value of each thread."""
    memory, old = memory.copy(), values.copy()
    for thread, place in enumerate(places):
        old[thread] = memory[place]
        memory[place] = function(memory[place], values[thread])
    return memory, old


def update(line: str, memory: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Run an update of %a by %v for every thread; returns %old, and changes memory."""
    kind = TYPES[values.dtype]
    result = np.zeros_like(values)
    body = f"""
  %ap = getelementptr i32, ptr addrspace(1) %p1, i32 %i
  %place = load i32, ptr addrspace(1) %ap, align 4
  %a = getelementptr {kind}, ptr addrspace(1) %p0, i32 %place
  %av = getelementptr {kind}, ptr addrspace(1) %p2, i32 %i
  %v = load {kind}, ptr addrspace(1) %av, align 1
  %even = and i32 %i, 1
  %is_odd = icmp ne i32 %even, 0
{line}
  %to = getelementptr {kind}, ptr addrspace(1) %p3, i32 %i
  store {kind} %old, ptr addrspace(1) %to, align 1
  ret void"""
    run_text(body, [memory, places, values, result], threads=len(values))
    return result


def random_case(dtype: type, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    memory, values = (random.integers(-50, 50, n).astype(kind) for n in (8, 64))
    return memory, random.integers(0, 8, 64).astype(np.int32), values


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_integers(dtype, operation):
    memory, places, values = random_case(dtype)
    kind = TYPES[values.dtype]
    expected, old = in_order(OPERATIONS[operation], memory, places, values)
    result = update(
        f"  %old = atomicrmw {operation} ptr addrspace(1) %a, {kind} %v"
        ' syncscope("agent") monotonic, align 4',
        memory, places, values,
    )  # fmt: skip
    np.testing.assert_array_equal(memory, expected)
    np.testing.assert_array_equal(result, old)


@pytest.mark.parametrize(("operation", "function"), [("umax", np.maximum), ("umin", np.minimum)])
def test_unsigned_integers(operation, function):
    memory, places, values = random_case(np.int32)
    whole = in_order(function, memory.view(np.uint32), places, values.view(np.uint32))[0]
    update(
        f"  %old = atomicrmw {operation} ptr addrspace(1) %a, i32 %v monotonic",
        memory,
        places,
        values,
    )
    np.testing.assert_array_equal(memory.view(np.uint32), whole)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_and_exchanges(dtype):
    for operation, function in (("fadd", np.add), ("xchg", lambda old, new: new)):
        memory, places, values = random_case(dtype)
        kind = TYPES[values.dtype]
        expected, old = in_order(function, memory, places, values)
        line = f"  %old = atomicrmw {operation} ptr addrspace(1) %a, {kind} %v monotonic, align 4"
        result = update(line, memory, places, values)
        np.testing.assert_array_equal(memory, expected)
        np.testing.assert_array_equal(result, old)


def test_one_thread_wins_a_compare_and_swap():
    memory, places, values = (
        np.zeros(8, np.int32),
        np.arange(64, dtype=np.int32) % 8,
        random_case(np.int32)[2],
    )
    values[:] = np.arange(1, 65)
    result = update(
        "  %both = cmpxchg ptr addrspace(1) %a, i32 0, i32 %v acq_rel monotonic, align 4\n"
        "  %old = extractvalue { i32, i1 } %both, 0",
        memory, places, values,
    )  # fmt: skip
    np.testing.assert_array_equal(memory, np.arange(1, 9))
    np.testing.assert_array_equal(result[:8], 0)
    np.testing.assert_array_equal(result[8:], np.resize(np.arange(1, 9), 56))


PTX = 'call i32 asm sideeffect "{text}", "{constraints}"({arguments})'


@pytest.mark.parametrize(
    ("operation", "function"),
    [("add.u32", np.add), ("max.s32", np.maximum), ("exch.b32", lambda old, new: new)],
)
def test_ptx_with_a_predicate(operation, function):
    memory, places, values = random_case(np.int32)
    expected = memory.copy()
    odd = np.arange(64) % 2 == 1
    expected, old = in_order(function, memory, places[odd], values[odd])
    text = f"@$4 atom.global.gpu.acq_rel.{operation} $0, [$2], $3;"
    line = PTX.format(
        text=text,
        constraints="=r,0,l,r,b",
        arguments="i32 0, ptr addrspace(1) %a, i32 %v, i1 %is_odd",
    )
    result = update(f"  %old = {line}", memory, places, values)
    np.testing.assert_array_equal(memory, expected)
    np.testing.assert_array_equal(result[odd], old)
    np.testing.assert_array_equal(result[~odd], 0)


def test_ptx_vectors_of_pairs():
    memory = np.arange(64 * 8).astype(np.float16)
    before = memory.copy()
    words = ", ".join(["i32 %word"] * 4)
    body = f"""
  %a = getelementptr <8 x half>, ptr addrspace(1) %p0, i32 %i
  %word = bitcast <2 x half> <half 0xH3C00, half 0xH4000> to i32
  %old = call {{ i32, i32, i32, i32 }} asm sideeffect "atom.global.gpu.relaxed.add.noftz.v4.f16x2 {{$0, $1, $2, $3}}, [$4], {{$5, $6, $7, $8}};", "=r,=r,=r,=r,l,r,r,r,r"(ptr addrspace(1) %a, {words})
  %first = extractvalue {{ i32, i32, i32, i32 }} %old, 3
  %to = getelementptr i32, ptr addrspace(1) %p1, i32 %i
  store i32 %first, ptr addrspace(1) %to, align 4
  ret void"""  # noqa: E501
    result = np.zeros(64, np.int32)
    report = run_text(body, [memory, result], threads=64)
    np.testing.assert_array_equal(memory, before + np.resize(np.array([1, 2], np.float16), 512))
    np.testing.assert_array_equal(
        result.view(np.float16).reshape(64, 2), before.reshape(64, 8)[:, 6:]
    )
    assert report.global_memory.accesses[("atomic", 16)] == 2


def test_pairs_of_bf16():
    memory = np.zeros(8, ml_dtypes.bfloat16)
    body = """
  %one = insertelement <2 x bfloat> <bfloat 0xR8000, bfloat 0xR8000>, bfloat 0xR3F80, i32 1
  %old = atomicrmw fadd ptr addrspace(1) %p0, <2 x bfloat> %one monotonic, align 4
  ret void"""
    run_text(body, [memory])
    np.testing.assert_array_equal(memory.astype(float), [0, 32, 0, 0, 0, 0, 0, 0])


BUFFER = """
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p0, i16 0, i64 2147483646, i32 159744)
  %even = and i32 %i, 1
  %is_odd = icmp ne i32 %even, 0
  %offset = mul i32 %i, 4
  %where = select i1 %is_odd, i32 %offset, i32 -2147483648
  %old = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.NAME.i32(VALUES, ptr addrspace(8) %r, i32 %where, i32 0, i32 0)
  ret void"""  # noqa: E501


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("add", "i32 7", 107),
        ("swap", "i32 7", 7),
        ("cmpswap", "i32 7, i32 100", 7),
        ("cmpswap", "i32 7, i32 1", 100),
    ],
)
def test_buffer_updates_out_of_bounds_do_nothing(name, values, expected):
    memory = np.full(32, 100, np.int32)
    run_text(BUFFER.replace("NAME", name).replace("VALUES", values), [memory], chip="gfx942")
    np.testing.assert_array_equal(memory[1::2], expected)
    np.testing.assert_array_equal(memory[::2], 100)


def test_an_unsupported_buffer_atomic():
    body = BUFFER.replace("NAME", "nand").replace("VALUES", "i32 7")
    with pytest.raises(CodegenError, match="does not support buffer atomic nand"):
        run_text(body, [np.zeros(32, np.int32)], chip="gfx942")
