"""`weft.testing.sanitize` reports launches without a defined result."""

from __future__ import annotations

import json

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.errors import SanitizerError
from weft.testing import sanitize, unwritten


def _ints(count: int = 16) -> np.ndarray:
    return np.zeros(count, np.int32)


@weft.jit
def store_next(q, x):
    tl.store(q + tl.arange(0, 16), x + 1)


@weft.jit
def stores_masked(p, q, n):
    i = tl.arange(0, 16)
    x = tl.load(p + i, mask=i < n)
    store_next(q, x)


def findings(kernel, grid, *arguments, **constants):
    with sanitize(raises=False) as sanitizer:
        kernel[grid](*arguments, **constants)
    return sanitizer.findings


def test_undefined_lanes_that_are_stored():
    (finding,) = findings(stores_masked, (1,), _ints(), _ints(), 10)
    assert finding.kind == "undefined-value"
    assert (finding.lanes[0], finding.lane_count) == ((10,), 6)
    assert (finding.kernel, finding.program) == ("stores_masked", (0, 0, 0))
    callee, caller = finding.stack
    first = store_next.fn.__code__.co_firstlineno
    assert (callee.line, caller.line) == (first + 2, first + 9)
    assert finding.origin[0].line == first + 8
    text = str(finding)
    assert "called from: " in text
    assert "masked off in a load without `other`" in text
    assert json.loads(json.dumps(finding.as_json()))["lanes"][0] == [10]


@weft.jit
def stores_masked_tile(p, q, n, ROWS: tl.constexpr):
    rows, columns = tl.arange(0, 4), tl.arange(0, 8)
    row = tl.load(p + columns, mask=columns < n)
    tile = tl.make_tensor_descriptor(q, [ROWS, 8], [8, 1], [4, 8])
    tile.store([0, 0], row[None, :] + rows[:, None])


def test_undefined_lanes_that_a_descriptor_stores():
    (finding,) = findings(stores_masked_tile, (1,), _ints(), _ints(32), 5, 4)
    assert (finding.kind, finding.message) == ("undefined-value", "undefined lanes are stored")
    assert (finding.lanes[0], finding.lane_count) == ((0, 5), 12)
    (finding,) = findings(stores_masked_tile, (1,), _ints(), _ints(16), 5, 2)
    assert finding.lane_count == 6  # in bounds
    assert findings(stores_masked_tile, (1,), _ints(), _ints(32), 8, 4) == ()


@weft.jit
def defined(p, q, n):
    i = tl.arange(0, 16)
    inside = i < n
    x = tl.load(p + i, mask=inside)
    tl.store(q + i, x + 1, mask=inside)
    tl.store(q + i, tl.where(inside, x, 7))
    tl.store(q + i, tl.load(p + i, mask=inside, other=3))
    tl.store(q + i, ((x > 0) & inside).to(tl.int32))
    total = tl.sum(tl.where(inside, x, 0))
    if total > 3:
        tl.store(q, total)
    rows = tl.reshape(x, (4, 4))
    tl.store(q + i, tl.where(inside, tl.reshape(tl.trans(tl.trans(rows)), (16,)), 0))
    tl.store(q + i, tl.cumsum(x), mask=inside)


def test_undefined_lanes_that_are_not_used():
    assert findings(defined, (1,), _ints(), _ints(), 10) == ()


@weft.jit
def reduces(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q, tl.max(tl.load(p + i, mask=i < n), 0))


@weft.jit
def branches(p, q, n):
    x = tl.load(p, mask=n > 100)
    if x > 0:
        tl.store(q, 1)


@weft.jit
def loops(p, q, n):
    x = tl.load(p, mask=n > 100)
    while x < n:
        x += 1
    for j in range(0, tl.load(p, mask=n > 100)):
        tl.store(q, j)


@weft.jit
def addresses(p, q, n):
    i = tl.arange(0, 16)
    at = tl.load(p + i, mask=i < n)
    tl.store(q + i, tl.load(p + at))


@weft.jit
def masks(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, 1, mask=tl.load(p + i, mask=i < n) > 0)


@weft.jit
def dots(p, q, n):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    x = tl.load(p + at, mask=(i < n)[None, :]).to(tl.float16)
    tl.store(q + at, tl.dot(x, x).to(tl.int32))


@weft.jit
def scans(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.cumsum(tl.load(p + i, mask=i >= n)))


@weft.jit
def divides(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, n // tl.load(p + i))


@weft.jit
def overflows(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i) + n + 2147483640)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (reduces, "undefined lanes are combined with defined ones"),
        (branches, "a branch depends on an undefined value"),
        (loops, "a branch depends on an undefined value"),
        (loops, "the bounds of a loop depend on an undefined value"),
        (addresses, "undefined lanes are addresses"),
        (masks, "undefined lanes are used as a mask"),
        (dots, "undefined lanes are combined with defined ones in a dot"),
        (scans, "undefined lanes are stored"),
        (divides, "undefined lanes are stored"),
        (overflows, "int32 overflow detected for operation add"),
    ],
)
def test_uses(kernel, message):
    messages = [each.message for each in findings(kernel, (1,), _ints(256), _ints(256), 10)]
    assert message in messages


def test_division_by_zero_is_the_origin():
    (finding,) = findings(divides, (1,), _ints(), _ints(), 10)
    assert "undefined because: integer division by zero" in str(finding)


@weft.jit
def converts(x, q, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(q + i, tl.load(x + i).to(q.dtype.element_ty))


_INSIDE = {"int8": (-128.9, 127.9), "uint8": (-0.9, 255.9), "int16": (-32768.5, 32767.5)}
_OUTSIDE = {"int8": (-129.0, 128.0), "uint8": (-1.0, 256.0), "int16": (-32769.0, 32768.0)}
_OUTSIDE |= {"int32": (-2147483904.0, 2147483648.0), "int64": (np.nan, np.inf)}
_INSIDE |= {"int32": (-2147483648.0, 2147483520.0), "int64": (-(2.0**63), 2.0**62)}


@pytest.mark.parametrize("name", _INSIDE)
def test_floats_in_the_range_of_an_integer(name):
    x, q = np.array(_INSIDE[name], np.float32), np.zeros(2, name)
    assert findings(converts, (1,), x, q, SIZE=2) == ()
    assert (q == x.astype(np.float64).astype(name)).all()


@pytest.mark.parametrize("name", _OUTSIDE)
def test_floats_outside_of_the_range_of_an_integer(name):
    x = np.array([3.0, *_OUTSIDE[name], 4.0], np.float32)
    (finding,) = findings(converts, (1,), x, np.zeros(4, name), SIZE=4)
    assert finding.message == "undefined lanes are stored"
    assert finding.lanes == ((1,), (2,))
    assert f"undefined because: a float outside of the range of {name}" in str(finding)


@weft.jit
def converts_a_scalar(x, q):
    tl.store(q, tl.load(x).to(tl.int8))


@weft.jit
def clamps(x, q):
    number = tl.load(x)
    tl.store(q, tl.where(number < 128, number.to(tl.int8), 127))


def test_a_scalar_and_a_lane_that_is_not_used():
    x = np.array([200], np.float16)
    (finding,) = findings(converts_a_scalar, (1,), x, np.zeros(1, np.int8))
    assert "range of int8" in str(finding)
    assert findings(clamps, (1,), x, np.zeros(1, np.int8)) == ()


@weft.jit
def shifts(p, q):
    i = tl.arange(0, 4)
    tl.store(q + i, tl.load(p + i) << (i + 29))


@weft.jit
def negates(p, q):
    i = tl.arange(0, 4)
    tl.store(q + i, tl.load(p + i) // (i - 4))


def test_shifts_and_quotients_that_overflow():
    (finding,) = findings(shifts, (1,), _ints(4), _ints(4))
    assert finding.lanes == ((3,),)
    assert "undefined because: a shift of int32 by 32 or more" in str(finding)
    (finding,) = findings(negates, (1,), np.full(4, -(2**31), np.int32), _ints(4))
    assert finding.lanes == ((3,),)
    assert "undefined because: int32 division overflow" in str(finding)


@weft.jit
def store_id(q, same: tl.constexpr):
    tl.store(q, 5 if same else tl.program_id(0))


@weft.jit
def store_lanes(q):
    i = tl.arange(0, 16)
    tl.store(q + i // 2, i)


@weft.jit
def store_locked(q, lock):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(q, tl.load(q) + 1)
    tl.atomic_xchg(lock, 0)


def test_conflicting_writes():
    (finding,) = findings(store_id, (4,), _ints(), False)
    assert (finding.kind, finding.program) == ("write-conflict", (1, 0, 0))
    assert "element 0 of q: this lane stores 1, program (0, 0, 0) stored 0" in str(finding)
    (finding,) = findings(store_lanes, (1,), _ints())
    assert finding.message == "lanes store different values to one address"


@weft.jit
def store_half(q, value):
    if tl.program_id(0) == 0:
        tl.store(q, 0x10002)
    else:
        tl.store(q.to(tl.pointer_type(tl.int16)) + 1, tl.cast(value, tl.int16))


def test_conflicting_writes_of_different_sizes():
    (finding,) = findings(store_half, (2,), _ints(), 7)
    assert (finding.kind, finding.program) == ("write-conflict", (1, 0, 0))
    assert "this lane stores 7, program (0, 0, 0) stored 1" in str(finding)
    assert findings(store_half, (2,), _ints(), 1) == ()  # the same bits


def test_writes_that_do_not_conflict():
    assert findings(store_id, (4,), _ints(), True) == ()
    assert findings(store_locked, (4,), _ints(), _ints()) == ()


@weft.jit
def copy(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i, mask=i < n, other=0))


@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.int8, np.float64])
def test_memory_that_nothing_has_written(dtype):
    x = unwritten(16, dtype)
    x[:8] = 1
    (finding,) = findings(copy, (1,), x, np.zeros(16, dtype), 16)
    assert finding.kind == "unwritten-memory"
    assert (finding.lanes[0], finding.lane_count) == ((8,), 8)
    assert findings(copy, (1,), x, np.zeros(16, dtype), 8) == ()
    copy[(1,)](np.zeros(16, dtype), x, 16)
    assert findings(copy, (1,), x, np.zeros(16, dtype), 16) == ()


def test_out_of_bounds():
    (finding,) = findings(copy, (2,), _ints(8), _ints(16), 16)
    assert (finding.kind, finding.message) == ("out-of-bounds", "load outside of array p")
    assert "element 8 of p" in str(finding)


def test_findings_are_an_error_with_all_reports():
    def launch_both():
        with sanitize():
            stores_masked[(1,)](_ints(), _ints(), 10)
            store_id[(2,)](_ints(), False)

    with pytest.raises(SanitizerError, match="undefined lanes are stored") as caught:
        launch_both()
    assert caught.value.found == "2 findings in 2 launches"
    assert len(caught.value.__notes__) == 2
    with sanitize():
        stores_masked[(1,)](_ints(), _ints(), 16)


@weft.jit(noinline=True)
def divide(x, y):
    return x // y


@weft.jit
def calls_divide(p, q, n):
    tl.store(q, divide(n, tl.load(p)))


def test_calls_that_are_not_inlined_are_in_the_stack():
    (finding,) = findings(calls_divide, (1,), _ints(), _ints(), 3)
    first = divide.fn.__code__.co_firstlineno
    assert [each.line for each in finding.origin] == [first + 2, first + 7]


def test_results_are_those_of_an_unchecked_launch():
    x, y = np.arange(16, dtype=np.int32), _ints()
    with sanitize():
        copy[(1,)](x, y, 9)
    assert (y == np.where(np.arange(16) < 9, x, 0)).all()


@weft.jit
def returns_early(p, q, n):
    x = tl.load(p, mask=n > 100)
    if x > 0:
        return
    if n > 5:
        return
    tl.store(q, 1)


def test_branches_between_blocks():
    (finding,) = findings(returns_early, (1,), _ints(), _ints(), 10)
    assert finding.message == "a branch depends on an undefined value"
    assert findings(returns_early, (1,), _ints(), _ints(), 101) == ()


@weft.jit
def keeps_defined(p, q, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(p + i, mask=inside)
    # Elements that move, and loops and branches that pass them on.
    halves = tl.split(tl.reshape(x, (BLOCK // 2, 2)))
    x = tl.interleave(halves[0], halves[1])
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(3):
        total += x
    if n > 3:
        total = total * 2.0
    else:
        total = total - 1.0
    tl.store(q + i, total, mask=inside)
    tl.store(q + i, tl.gather(total, tl.minimum(i, n - 1), 0))
    tl.store(q + i, tl.associative_scan(x, 0, add), mask=inside)
    rows = tl.broadcast_to(tl.where(inside, total, 0.0)[None, :], (2, BLOCK))
    tl.store(q + i, tl.sum(rows, 0))
    tl.atomic_add(q + i, x, mask=inside)


@weft.jit
def add(a, b):
    return a + b


def test_shadows_follow_values():
    x = np.arange(32, dtype=np.float32)
    assert findings(keeps_defined, (1,), x, x.copy(), 20, BLOCK=32) == ()


@weft.jit
def accumulates(p, q, n):
    i = tl.arange(0, 16)
    total = tl.zeros((16,), tl.int32)
    for start in range(0, n, 16):
        total += tl.load(p + start + i, mask=start + i < n)
    tl.store(q, tl.sum(total))


def test_undefined_lanes_that_a_loop_carries():
    (finding,) = findings(accumulates, (1,), _ints(64), _ints(), 40)
    assert finding.message == "undefined lanes are combined with defined ones"
    assert findings(accumulates, (1,), _ints(64), _ints(), 48) == ()


@weft.jit
def random_numbers(y):
    i = tl.arange(0, 16)
    tl.store(y + i, tl.rand(5, i))
    tl.store(y + i, tl.randint(5, i).to(tl.float32))


def test_random_numbers_do_not_overflow():
    assert findings(random_numbers, (1,), np.zeros(16, np.float32)) == ()
    random_numbers[(1,)](np.zeros(16, np.float32), debug=True)
