"""The call graph of a module: which functions call which.

tt.func public @kernel() { tt.call @f() }      calls_of      {@kernel: [], @f: [the call]}
tt.func private @f() { … }                     callees_first [@f, @kernel]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from weft.ir import tt
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.interfaces import CallOpInterface

__all__ = [
    "callees_first",
    "callers_first",
    "calls_of",
    "function_of",
    "functions_of",
    "recursive_functions",
]

Calls = dict[tt.FuncOp, list[CallOpInterface]]


def functions_of(module: ModuleOp) -> list[tt.FuncOp]:
    """List the functions of a module and of the modules inside it, in program order."""
    functions: list[tt.FuncOp] = []
    for op in module.body.block.ops:
        if isinstance(op, tt.FuncOp):
            functions.append(op)
        elif isinstance(op, ModuleOp):
            functions += functions_of(op)
    return functions


def calls_of(functions: Sequence[tt.FuncOp]) -> Calls:
    """List the calls of each function, in program order of the callers."""
    by_name = {function.symbol: function for function in functions}
    calls: Calls = {function: [] for function in functions}
    for caller in functions:
        for op in caller.walk():
            if isinstance(op, CallOpInterface) and op.callee_name in by_name:
                calls[by_name[op.callee_name]].append(op)
    return calls


def function_of(op: Operation) -> tt.FuncOp:
    """Find the function that contains an operation."""
    parent = op.parent_op()
    while not isinstance(parent, tt.FuncOp):
        assert parent is not None, "an operation outside of any function"
        parent = parent.parent_op()
    return parent


def callers_first(functions: Sequence[tt.FuncOp], calls: Calls) -> list[tt.FuncOp]:
    """Order functions so that each comes after its callers, save in cycles of calls."""
    return _postorder(functions, lambda function: map(function_of, calls.get(function, ())))


def callees_first(functions: Sequence[tt.FuncOp]) -> list[tt.FuncOp]:
    """Order functions so that each comes after its callees, save in cycles of calls."""
    if len(functions) == 1:
        return list(functions)  # the usual case: a kernel without noinline functions
    callees = _callees(calls_of(functions))
    return _postorder(functions, lambda function: callees.get(function, ()))


def recursive_functions(functions: Sequence[tt.FuncOp]) -> set[tt.FuncOp]:
    """Find the functions that may call themselves, through others or at once."""
    callees = _callees(calls_of(functions))
    recursive: set[tt.FuncOp] = set()
    for function in functions:
        reached: set[tt.FuncOp] = set()
        worklist = [function]
        while worklist:
            for callee in callees.get(worklist.pop(), ()):
                if callee not in reached:
                    reached.add(callee)
                    worklist.append(callee)
        if function in reached:
            recursive.add(function)
    return recursive


def _callees(calls: Calls) -> dict[tt.FuncOp, list[tt.FuncOp]]:
    callees: dict[tt.FuncOp, list[tt.FuncOp]] = {}
    for callee, of_callee in calls.items():
        for call in of_callee:
            callees.setdefault(function_of(call), []).append(callee)
    return callees


def _postorder(
    functions: Iterable[tt.FuncOp], following: Callable[[tt.FuncOp], Iterable[tt.FuncOp]]
) -> list[tt.FuncOp]:
    """Order functions so that each comes after those that `following` lists for it."""
    ordered: list[tt.FuncOp] = []
    visited: set[tt.FuncOp] = set()

    def visit(function: tt.FuncOp) -> None:
        if function not in visited:
            visited.add(function)
            for other in following(function):
                visit(other)
            ordered.append(function)

    for function in functions:
        visit(function)
    return ordered
