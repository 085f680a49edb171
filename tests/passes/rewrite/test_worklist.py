"""The worklist against a plain list that does the same slowly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.ir.ub import PoisonOp
from weft.passes.rewrite.worklist import Worklist

OPS = [PoisonOp.create() for _ in range(5)]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.integers(0, 4)),
        st.tuples(st.just("remove"), st.integers(0, 4)),
        st.tuples(st.sampled_from(["pop", "reverse"]), st.just(0)),
    )
)


@given(STEPS)
def test_it_is_a_stack_without_repetitions(steps):
    worklist, plain = Worklist(), []
    for step, index in steps:
        op = OPS[index]
        if step == "push":
            worklist.push(op)
            if op not in plain:
                plain.append(op)
        elif step == "remove":
            worklist.remove(op)
            if op in plain:
                plain.remove(op)
        elif step == "reverse":
            worklist.reverse()
            plain.reverse()
        else:
            assert worklist.pop() is (plain.pop() if plain else None)
    while plain:
        assert worklist.pop() is plain.pop()
    assert worklist.pop() is None
