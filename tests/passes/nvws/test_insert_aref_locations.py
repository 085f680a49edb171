"""The buffers of asynchronous references have the names of the values that they hold."""

from pathlib import Path

from weft.ir import nvws, ttg
from weft.ir.builtin import Operation
from weft.ir.text import parse_module
from weft.passes.pipeline import run_pipeline
from weft.passes.registry import load

MODULE = Path(__file__).with_name("insert_aref.mlir")


def test_a_buffer_has_the_location_of_its_value():
    lines = [
        f'{line} loc("tile{n}")' if "ttg.local_alloc %" in line else line
        for n, line in enumerate(MODULE.read_text().split("// -----")[0].splitlines())
    ]
    module = parse_module("\n".join(lines))
    names = {str(op.location) for op in module.walk() if isinstance(op, ttg.LocalAllocOp)}
    run_pipeline([load("nvws-insert-aref")], module)
    arefs = [op for op in module.walk() if isinstance(op, nvws.ArefCreateOp)]
    assert arefs
    assert {str(op.location) for op in arefs} <= names
    owners = [op.buffers[0].owner for op in arefs]
    assert {str(each.location) for each in owners if isinstance(each, Operation)} <= names
    assert all(isinstance(each, Operation) for each in owners)
