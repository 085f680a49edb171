"""Modules compiled for the interpreter, and a cache of them."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from weft.errors import LaunchError, did_you_mean
from weft.interpreter.compiled_function import Function, needs_order
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.function_compiler import FunctionCompiler, operations
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import text_of
from weft.interpreter.registry import Evaluate
from weft.interpreter.values import Value
from weft.ir import locations, types

_CACHE_SIZE = 64
MakeCompiler = Callable[[Callable[[str, Operation], Evaluate]], FunctionCompiler]
"""Makes the compiler of a function; its argument resolves the names of callees."""


class CompiledModule:
    """The functions of a module, each compiled at its first call.

    Args:
        module: TTIR or TTGIR.
        compiler: Makes the compiler of a function.
    """

    def __init__(self, module: ModuleOp, compiler: MakeCompiler = FunctionCompiler) -> None:
        self.functions: dict[str, Operation] = {
            text_of(op, "sym_name"): op for op in module.body.block.ops if op.name == "tt.func"
        }
        self._compiled: dict[str, Function] = {}
        self._compiler = compiler

    def function(self, name: str) -> Operation:
        """Look up a function by name.

        Raises:
            LaunchError: The module has no such function.
        """
        function = self.functions.get(name)
        if function is None:
            raise LaunchError(
                f"the module has no function {name}",
                found=name,
                accepted=list(self.functions),
                hint=did_you_mean(name, self.functions),
            )
        return function

    def compiled(self, name: str) -> Function:
        """Compile a function, or look it up."""
        if name not in self._compiled:
            self._compiled[name] = Function(self.function(name), self._compiler(self._callee))
        return self._compiled[name]

    def _callee(self, name: str, call: Operation) -> Evaluate:
        if name not in self.functions:
            raise LaunchError(
                f"the module has no function {name}",
                location=locations.position(call.location),
                accepted=list(self.functions),
            )

        def run(batch: Batch, arguments: Sequence[Value]) -> list[Value]:
            return self.compiled(name).call(batch, arguments)

        return run

    @cached_property
    def in_order(self) -> bool:
        """Whether the programs of a launch have to run one by one."""
        return any(needs_order(function) for function in self.functions.values())

    @cached_property
    def tile_bytes(self) -> int:
        """The bytes of the largest tile of one instance, except tiles of pointers."""
        return max((_bytes(op) for f in self.functions.values() for op in _inside(f)), default=8)


def _inside(function: Operation) -> Iterator[Operation]:
    return operations(function.regions[0])


def _bytes(op: Operation) -> int:
    results = (r.type for r in op.results if types.is_tensor(r.type))
    tiles = (t for t in results if not types.is_pointer(types.element(t)))
    return max((prod(types.shape(t)) * dtype_of(t).itemsize for t in tiles), default=8)


def _snapshot(module: ModuleOp) -> list[object]:
    """List the objects that determine the meaning of a module, to compare them by identity."""
    objects: list[object] = []
    for op in operations(module.body):
        objects.append(op)
        objects.extend(op.operands)
        objects.extend(result.type for result in op.results)
        objects.extend(op.properties.values())
        objects.extend(op.successors)
    return objects


_cache: OrderedDict[int, tuple[ModuleOp, list[object], CompiledModule]] = OrderedDict()


def compiled_module_of(module: ModuleOp) -> CompiledModule:
    """Compile a module, or look it up in the cache if it has not changed since."""
    snapshot = _snapshot(module)
    entry = _cache.get(id(module))
    if entry is not None:
        _, cached, compiled = entry
        if len(cached) == len(snapshot) and all(map(operator.is_, cached, snapshot)):
            _cache.move_to_end(id(module))
            return compiled
    program = CompiledModule(module)
    _cache[id(module)] = (module, snapshot, program)
    _cache.move_to_end(id(module))
    if len(_cache) > _CACHE_SIZE:
        _cache.popitem(last=False)
    return program
