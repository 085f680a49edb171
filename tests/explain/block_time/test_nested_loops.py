"""Natural loops of basic blocks, nested, with their iterations."""

from __future__ import annotations

from weft.explain.block_time.nested_loops import Body, Loop, nest_loops
from weft.explain.block_time.sass import ControlFlow, SassInstruction


def flow(*successors: tuple[int, ...]) -> ControlFlow:
    """Blocks of three instructions, named by their number."""
    blocks = tuple(
        tuple(SassInstruction(str(number), "", (), ()) for _ in range(3))
        for number in range(len(successors))
    )
    return ControlFlow(blocks, successors)


def shape(body: Body) -> list[object]:
    result: list[object] = []
    for each in body:
        if isinstance(each, Loop):
            result.append((each.trips, shape(each.body)))
        elif not result or result[-1] != each.opcode:
            result.append(each.opcode)
    return result


def test_straight_code_and_branches():
    assert shape(nest_loops(flow((1,), (2,), ()), ())) == ["0", "1", "2"]
    assert sorted(map(str, shape(nest_loops(flow((1, 2), (3,), (3,), ()), ())))) == list("0123")


def test_loops_one_after_the_other_in_the_order_of_their_trip_counts():
    control_flow = flow((1,), (1, 2), (3,), (3, 4), ())
    assert shape(nest_loops(control_flow, (5, 7))) == ["0", (5, ["1"]), "2", (7, ["3"]), "4"]
    assert shape(nest_loops(control_flow, (), unknown=9))[1] == (9, ["1"])


def test_a_loop_within_a_loop():
    # 1 is the header of the outer loop, 2 the inner loop, 3 the latch.
    control_flow = flow((1,), (2,), (2, 3), (1, 4), ())
    assert shape(nest_loops(control_flow, (5, 7))) == ["0", (5, ["1", (7, ["2"]), "3"]), "4"]


def test_the_latch_may_precede_the_header_in_the_text():
    control_flow = flow((2,), (2, 3), (1,), ())
    assert shape(nest_loops(control_flow, (5,))) == ["0", (5, ["2", "1"]), "3"]


def test_bytes_of_a_loop():
    (_, _, _, loop, *_) = nest_loops(flow((1,), (1, 2), ()), (5,))
    assert isinstance(loop, Loop)
    assert loop.code_bytes == 3 * 16


def test_code_behind_the_end_is_left_out():
    assert shape(nest_loops(flow((), (1,)), ())) == ["0"]
