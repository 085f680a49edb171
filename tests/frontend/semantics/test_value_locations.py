"""The locations of TTIR: those that Triton's builder has."""

from __future__ import annotations

import re

import weft
import weft.language as tl
from weft.ir import locations, scf, tt
from weft.ir.builtin import ModuleOp
from weft.ir.locations import LocationAttr, NameLoc


@weft.jit
def kernel(x_ptr, y_ptr, n):
    total = tl.load(x_ptr)
    for i in range(n):
        if i > 2:
            total = total + tl.load(x_ptr + i)
    tl.store(y_ptr, total, cache_modifier=".cg")


@weft.jit
def returning(x_ptr, n):
    if n > 0:
        tl.store(x_ptr, 1)
        return
    tl.store(x_ptr, 2)


@weft.jit
def nested(x_ptr, n):
    a = tl.load(x_ptr)
    b = tl.load(x_ptr + 1)
    for i in range(n):
        for j in range(n, 0, -1):
            if i > j:
                c = a
            else:
                c = b
                b = b + c
            tl.store(x_ptr + j, c)


@weft.jit
def repeated(x_ptr, n):
    for i in range(n + tl.load(x_ptr)):
        tl.store(x_ptr + i, i)


def module_of(function: object) -> ModuleOp:
    signature = "*i32, *i32, i32" if function is kernel else "*i32, i32"
    compiled = weft.compile(function, signature=signature, target="cuda:90", stop_after="source")
    return compiled.module("source")


def names(location: LocationAttr) -> list[str]:
    result = []
    while isinstance(location, NameLoc):
        result.append(location.desc.data)
        location = location.location
    return result


def source_at(location: LocationAttr, function=kernel) -> str:
    """Return the source text from a location on."""
    place = locations.position(location)
    assert place is not None
    line = function.source.text.splitlines()[place.line - function.source.line]
    return line[place.column - 1 :]


def test_a_call_has_the_location_of_its_last_argument():
    module = module_of(kernel)
    (store,) = (op for op in module.walk() if isinstance(op, tt.StoreOp))
    # Keywords are lowered before the other arguments.
    assert source_at(store.location).startswith("total, cache")
    first, second = (op for op in module.walk() if isinstance(op, tt.LoadOp))
    assert source_at(first.location) == "x_ptr)"
    assert source_at(second.location) == "x_ptr + i)"
    assert names(first.location)[-1] == "total"


def test_results_of_loops_and_conditionals_have_the_names_of_variables():
    module = module_of(kernel)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert names(loop.location) == ["total"]
    assert source_at(loop.location) == "n):"
    counter, carried = loop.block.args
    assert names(counter.location) == ["i"]
    assert names(carried.location)[0] == "total"
    (conditional,) = (op for op in module.walk() if isinstance(op, scf.IfOp))
    assert source_at(conditional.location) == "i > 2:"
    terminator = conditional.regions[0].block.last_op
    assert terminator is not None
    (then_value,) = terminator.operands
    # The sum is assigned to `total`, and is the result of the `if` of that name.
    assert names(locations.location_of(then_value)) == ["total", "total"]


def test_the_first_lowering_of_a_loop_names_values_from_before_it():
    module = module_of(kernel)
    load = next(op for op in module.walk() if isinstance(op, tt.LoadOp))
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    # The `if` yields `total` unchanged; the first time, that is the value from before the loop.
    assert names(load.location) == ["total", "total"]
    assert names(loop.iter_args[0].location) == ["total"] * 4


def test_values_of_nested_loops_are_named_once_for_each_lowering():
    module = module_of(nested)
    a, b = (op for op in module.walk() if isinstance(op, tt.LoadOp))
    assert names(a.location) == ["c"] * 4 + ["a"]
    # Both loops carry `b`: their first lowerings add the names of the conditional to its init.
    assert names(b.location) == ["c", "b", "b"]


def test_a_loop_that_counts_down_names_the_value_and_not_the_counter():
    module = module_of(nested)
    _, inner = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert names(inner.block.args[0].location) == []
    difference, index, *_ = inner.block.ops
    assert (names(difference.location), names(index.location)) == ([], ["j"])
    assert source_at(index.location, nested) == "j:"


def test_the_only_bound_of_range_is_lowered_twice():
    module = module_of(repeated)
    assert sum(isinstance(op, tt.LoadOp) for op in module.walk()) == 2


def test_branches_have_the_location_of_the_operation_before():
    module = module_of(returning)
    branch = next(op for op in module.walk() if op.name == "cf.cond_br")
    assert source_at(branch.location, returning) == "0:"
    returns = [op for op in module.walk() if isinstance(op, tt.ReturnOp)]
    assert {source_at(op.location, returning) for op in returns} == {"return", "tl.store(x_ptr, 2)"}


def test_parameters_have_their_names():
    text = weft.compile(kernel, signature="*i32, *i32, i32", target="cuda:90").asm["ttgir"]
    assert re.search(r"@kernel\(%x_ptr: .*, %y_ptr: .*, %n: i32\)", text)
