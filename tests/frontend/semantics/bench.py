"""A function under construction, and the operations or the error of a call of a builtin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from tests.frontend.semantics.facts import CUDA_90
from weft.errors import WeftError
from weft.frontend.options import FrontendOptions
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import BoundMethod, DescriptorValue, TensorValue, TupleValue
from weft.ir import tt
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.rewriting import Builder
from weft.ir.text import print_module
from weft.ir.verifier import verify
from weft.language.builtin import Builtin
from weft.language.compound_types import block_type, pointer_type, str_to_ty
from weft.language.constexpr import constexpr, unwrap
from weft.language.dtypes import dtype

SHAPED = re.compile(r"(?P<name>[*\w]+)(\[(?P<shape>[\d, ]*)\])?")


def type_named(text: str) -> dtype:
    """Return the type that "fp16[8, 4]", "*fp32" or "block*fp16[16, 32]" names."""
    if text.startswith("block*"):
        return pointer_type(type_named(text.removeprefix("block*")))
    match = SHAPED.fullmatch(text)
    assert match, text
    scalar = str_to_ty(match["name"])
    return (
        block_type(scalar, [int(n) for n in match["shape"].split(",")])
        if match["shape"]
        else scalar
    )


class Bench:
    """Hold one function under construction.

    Args:
        *types: The types of its arguments, as `type_named` reads them.
        options: The options of the target.
    """

    def __init__(self, *types: str, options: FrontendOptions = CUDA_90) -> None:
        self.types = [type_named(text) for text in types]
        self.module = ModuleOp([])
        self.function = tt.FuncOp.of("f", [ir_type(type_) for type_ in self.types], [])
        self.module.body.block.add_op(self.function)
        block = self.function.entry
        self.emitter: Any = Emitter(Builder().at_end(block), options)
        self.emitter.call_function = lambda function, args: function.fn(self.emitter, *args)
        self.args = [
            TensorValue(handle, type_) for handle, type_ in zip(block.args, self.types, strict=True)
        ]

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a declared function, Python values as constants."""
        if isinstance(function, BoundMethod):
            return self.call(function.function, function.receiver, *args, **kwargs)
        assert isinstance(function, Builtin), function
        named = {key: kernel_value(value) for key, value in kwargs.items()}
        return self.emitter.call(function, [kernel_value(value) for value in args], named)

    def returned(self, *values: Any) -> ModuleOp:
        """End the function with a return of `values`, verify the module and return it."""
        handles = [handle for value in values for handle in _handles(value)]
        self.emitter.builder.create(tt.ReturnOp, handles)
        self.function.properties["function_type"] = tt.FuncOp.of(
            "g", [ir_type(type_) for type_ in self.types], [handle.type for handle in handles]
        ).properties["function_type"]
        verify(self.module)
        return self.module

    def lines(self, *values: Any) -> list[str]:
        """Return the operations as text, without result names, after `returned(*values)`."""
        text = print_module(self.returned(*values))
        body = [line.strip() for line in text.splitlines() if line.startswith("    ")]
        return [
            re.sub(r"^%[^=]* = ", "", line) for line in body if not line.startswith("tt.return")
        ]


def emitted(
    types: Sequence[str],
    function: Any,
    *args: Any,
    options: FrontendOptions = CUDA_90,
    **kwargs: Any,
) -> list[str]:
    """Call a builtin on arguments of some types, followed by `args`; list the operations."""
    bench = Bench(*types, options=options)
    result = bench.call(function, *bench.args, *args, **kwargs)
    return bench.lines(result)


def error_of(types: Sequence[str], function: Any, *args: Any, **kwargs: Any) -> str:
    """Call a builtin as `emitted` does, and return the text of its error."""
    with pytest.raises(WeftError) as caught:
        emitted(types, function, *args, **kwargs)
    return str(caught.value)


def kernel_value(value: Any) -> Any:
    """Return a Python value as the lowering hands it over: wrapped in a constexpr."""
    if isinstance(value, TensorValue | DescriptorValue | TupleValue | constexpr):
        return value
    if isinstance(value, tuple | list):
        return TupleValue(tuple(kernel_value(item) for item in value))
    return constexpr(value)


def _handles(value: Any) -> Sequence[SSAValue]:
    if isinstance(value, TensorValue | TupleValue | DescriptorValue):
        return value.handles()
    assert unwrap(value) is None, value
    return ()
