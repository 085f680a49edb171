"""Copies by cp.async that the tensor cores read."""

from __future__ import annotations

import pytest

from tests.analysis.memory_listings import listing, separate_allocation
from weft.analysis.hazards.async_proxy import async_proxy_copies
from weft.ir.builtin import Block


def copies_of(text: str):
    program = listing(text)
    copies = async_proxy_copies(program.function, separate_allocation(program.function))
    return program, copies


@pytest.mark.parametrize(
    ("text", "exist"),
    [
        ("cp a\nwgmma a b", True),
        ("cp c\nwgmma a b", False),
        ("cp a\nmma a b d", True),
        ("cp a\nload a", False),
        ("store a\nwgmma a b", False),
        ("wgmma a b\ncp a", True),  # perhaps in the next iteration of a loop around
    ],
)
def test_copies_that_tensor_cores_read(text, exist):
    assert copies_of(text)[1].exist == exist


def test_waits_for_copies():
    program, copies = copies_of("cp a\ncp_arrive m\ncp_wait\nwait m\nwait m2\nmma a b d")
    complete = {
        line
        for line, op in zip(program.lines, program.operations, strict=True)
        if op is not None and copies.are_complete_after(op)
    }
    assert complete == {"cp_wait", "wait m"}
    program, none = copies_of("cp c\ncp_arrive m\ncp_wait\nwait m\nmma a b d")
    assert not any(op and none.are_complete_after(op) for op in program.operations)


def read_after(text: str) -> set[str]:
    program, copies = copies_of(text)
    return {
        line
        for line, op in zip(program.lines, program.operations, strict=True)
        if op is not None and copies.may_be_read_after(op)
    }


def test_an_mma_after_an_operation():
    assert read_after("store a\nmma a b d\nload a") == {"store a"}
    assert read_after("if {\nstore a\n}\nmma a b d\nload a") == {"if {", "store a"}
    assert read_after("store a\nif {\nmma a b d\nload a\n}\nload c") == {"store a"}


def test_a_fence_before_the_mma():
    assert read_after("store a\nfence\nload c\nmma a b d\nload a") == {"fence", "load c"}
    assert read_after("if {\nstore a\n}\nfence\nmma a b d\nload a") == {"fence"}
    # The fence may not be executed.
    assert "load c" in read_after("load c\nif {\nfence\n}\nmma a b d\nload a")
    in_a_loop = "for {\nfence\nwgmma a b\nload c\n}\nload a"
    assert read_after(in_a_loop) == {"fence", "wgmma a b", "load c"}


def test_an_mma_in_the_next_iteration():
    assert read_after("for {\nwgmma a b\nstore a\n}\nload a") == {"wgmma a b", "store a"}
    assert read_after("while\nwgmma a b\nstore a\ndo\nload a\nend_while\nload c") == {
        "wgmma a b",
        "store a",
        "load a",
    }
    nested = "for {\nfor {\nstore a\n}\nwgmma a b\nload a\n}\nload c"
    # Both lines `for {` are the same text; all but the last operation are in the outer loop.
    assert read_after(nested) == {"for {", "store a", "wgmma a b", "load a"}


def test_branches_between_blocks_are_not_followed():
    program, copies = copies_of("store a\nfence")
    function = program.function
    (op,) = (op for op in program.operations[:1] if op is not None)
    assert not copies.may_be_read_after(op)
    function.body.add_block(Block())
    assert copies.may_be_read_after(op)
