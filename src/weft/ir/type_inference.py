"""Compare the types of results with those that an operation infers.

    %r = tt.trans %t {order = array<i32: 1, 0>} : tensor<8x4xf32, #a> -> tensor<4x8xf32, #b>

The type of the result follows from that of the operand. Its encoding need not be the inferred one:
one that distributes the elements alike is accepted, where Triton does so.

Source: Triton, lib/Dialect/Triton/IR/Traits.cpp (verifyEquivalentType).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError
from weft.ir import types
from weft.layouts import Encoding

__all__ = [
    "are_equivalent",
    "incompatible_types",
    "infer_layout",
    "inference_failure",
    "require_inferred_types",
]


def are_equivalent(shape: Sequence[int], one: Encoding | None, other: Encoding | None) -> bool:
    """Check whether two encodings distribute the elements of a shape alike."""
    if one is other:
        return True
    if one is None or other is None:
        return False
    try:
        return one.linear(tuple(shape)) is other.linear(tuple(shape))
    except LayoutError:
        return False


def infer_layout(encoding: Encoding, infer: Callable[[], Encoding]) -> Encoding:
    """Infer the encoding of a result.

    Args:
        encoding: The encoding of the operand; one that Gluon resolves later is kept.
        infer: Compute the encoding of the result.

    Raises:
        VerifyException: There is none.
    """
    if encoding.family == "unresolved":
        return encoding
    try:
        return infer()
    except LayoutError as error:
        raise inference_failure(error.message) from None


def inference_failure(reason: str) -> VerifyException:
    """Build the error of an operation whose result types cannot be inferred.

    As in MLIR, there are two: that the inference failed, whose cause is the reason.
    """
    failure = VerifyException(f"failed to infer returned types: {reason}")
    failure.__cause__ = VerifyException(reason)
    return failure


def incompatible_types(
    inferred: Sequence[Attribute], actual: Sequence[Attribute]
) -> VerifyException:
    """Build the error of an operation whose results have other types than the inferred ones."""
    inferred_list, actual_list = (
        ", ".join(f"'{type_}'" for type_ in each) for each in (inferred, actual)
    )
    return inference_failure(
        f"inferred type(s) {inferred_list} are incompatible with return type(s) of operation "
        f"{actual_list}"
    )


def require_inferred_types(
    op: Operation, inferred: Sequence[Attribute], *, equivalent_layouts: bool = False
) -> None:
    """Require that the results of an operation have the inferred types.

    Args:
        op: The operation.
        inferred: The type of each result.
        equivalent_layouts: Accept other encodings that distribute the elements alike.

    Raises:
        VerifyException: They have others.
    """
    actual = [result.type for result in op.results]
    if len(actual) == len(inferred):
        pairs = list(zip(inferred, actual, strict=True))
        if equivalent_layouts and all(_equivalent(*pair) for pair in pairs):
            return
        if all(left == right for left, right in pairs):
            return
    raise incompatible_types(inferred, actual)


def _equivalent(one: Attribute, other: Attribute) -> bool:
    if not (types.is_tensor(one) and types.is_tensor(other)):
        return one == other
    shape = types.shape(one)
    return (
        shape == types.shape(other)
        and one.element_type == other.element_type
        and are_equivalent(shape, types.encoding(one), types.encoding(other))
    )
