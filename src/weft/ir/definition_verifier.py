"""Verify an operation against its definition: counts, properties, types, regions and traits.

In MLIR's order and wording:

    'tt.addptr' op expected 2 operands, but found 1
    'tt.expand_dims' op requires attribute 'axis'
    'tt.addptr' op operand #0 must be ptr or ranked tensor of ptr values, but got 'i32'
    'tt.addptr' op requires the same shape for all operands and results

Source: MLIR, OpDefinition.cpp and the methods that mlir-tblgen generates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    EqAttrConstraint,
    IRDLOperation,
    OpDef,
    OptionalDef,
    OptPropertyDef,
    RangeLengthConstraint,
    RangeOf,
    SingleBlockRegionDef,
    VariadicDef,
    VerificationContext,
)
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import array_values
from weft.ir.type_constraints import TypeConstraint, is_signless, one_type

__all__ = [
    "SEGMENT_SIZES",
    "NestedVerifyException",
    "has_properties",
    "operand_groups",
    "type_constraint",
    "verify_definition",
]


class NestedVerifyException(VerifyException):
    """A rule that another operation violates than the one that is verified.

    Attributes:
        op: That operation, in a region of the verified one.
    """

    def __init__(self, op: Operation, message: str) -> None:
        super().__init__(message)
        self.op = op


SEGMENT_SIZES = ("operandSegmentSizes", "resultSegmentSizes")
"""The properties with the sizes of the groups of operands and of results."""

Kind = Literal["operand", "result"]


@dataclass(frozen=True, slots=True)
class _Group:
    """One operand or result of a definition.

    Attributes:
        name: Its name.
        is_optional: Whether it may be absent.
        is_variadic: Whether there may be any number of values, or one or none.
        constraint: The constraint on the types, None without one.
    """

    name: str
    is_optional: bool
    is_variadic: bool
    constraint: TypeConstraint | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """The parts of a definition that are verified.

    Attributes:
        operands: The operands.
        results: The results.
        operand_segments: The property with the sizes of the groups of operands, "" without one.
        result_segments: The same for results.
        traits: The traits in the order in which they are declared.
    """

    operands: tuple[_Group, ...]
    results: tuple[_Group, ...]
    operand_segments: str
    result_segments: str
    traits: tuple[OpTrait, ...]


@cache
def _plan(cls: type[IRDLOperation]) -> _Plan:
    definition = cls.get_irdl_definition()
    options = definition.options
    operand_segments = any(isinstance(option, AttrSizedOperandSegments) for option in options)
    result_segments = any(isinstance(option, AttrSizedResultSegments) for option in options)
    optionals: tuple[str, ...] = getattr(cls, "OPTIONALS", ())
    constraints: dict[str, TypeConstraint] = getattr(cls, "OPTIONAL_TYPES", {})
    operands: list[_Group] = []
    for name, operand in definition.operands:
        if name == "optionals":
            common = _group(name, operand).constraint
            operands += [
                _Group(each, True, True, constraints.get(each, common)) for each in optionals
            ]
        else:
            operands.append(_group(name, operand))
    return _Plan(
        tuple(operands),
        tuple(_group(name, result) for name, result in definition.results),
        SEGMENT_SIZES[0] if operand_segments else "",
        SEGMENT_SIZES[1] if result_segments else "",
        tuple(definition.traits.gen_traits()),
    )


def _group(name: str, definition: object) -> _Group:
    return _Group(
        name,
        isinstance(definition, OptionalDef),
        isinstance(definition, VariadicDef),
        type_constraint(definition),
    )


def type_constraint(definition: object) -> TypeConstraint | None:
    """Get the constraint on the type of an operand or result; None if it has every type."""
    # xDSL wraps the constraint on one type in some on a sequence of types.
    constraint: object = getattr(definition, "constr", None)
    while isinstance(constraint, RangeLengthConstraint):
        constraint = cast("object", constraint.constraint)
    if isinstance(constraint, RangeOf):
        constraint = cast("object", constraint.constr)
    if isinstance(constraint, TypeConstraint):
        return constraint
    if isinstance(constraint, EqAttrConstraint):
        expected = constraint.attr
        if is_signless(expected):
            return one_type(expected, f"{types.bit_width(expected)}-bit signless integer")
        return one_type(expected, f"{expected}")
    if isinstance(constraint, AttrConstraint) and not isinstance(constraint, AnyAttr):
        return TypeConstraint(f"{constraint}", constraint.verifies)
    return None


def has_properties(cls: type[IRDLOperation]) -> bool:
    """Check whether operations of a class have properties, those with segment sizes included."""
    plan, definition = _plan(cls), cls.get_irdl_definition()
    # MLIR stores the sizes of the groups if there are several optional operands or results.
    variadic = max(
        sum(group.is_variadic for group in groups) for groups in (plan.operands, plan.results)
    )
    return bool(definition.properties) or variadic > 1


def operand_groups(op: IRDLOperation) -> dict[str, Sequence[SSAValue]]:
    """Map the name of each operand of the definition to its values.

    Raises:
        VerifyException: The definition has another number of operands.
    """
    plan = _plan(type(op))
    sizes = _sizes(op, plan.operands, "operand", len(op.operands), plan.operand_segments)
    groups: dict[str, Sequence[SSAValue]] = {}
    start = 0
    for group, size in zip(plan.operands, sizes, strict=True):
        groups[group.name] = op.operands[start : start + size]
        start += size
    return groups


def verify_definition(op: IRDLOperation) -> None:
    """Verify what the definition of an operation says.

    Raises:
        VerifyException: The operation violates it.
    """
    plan, definition = _plan(type(op)), op.get_irdl_definition()
    _verify_regions(op, definition)
    _verify_successors(op, definition)
    operand_types = [value.type for value in op.operands]
    result_types = [value.type for value in op.results]
    operand_sizes = _sizes(op, plan.operands, "operand", len(operand_types), plan.operand_segments)
    result_sizes = _sizes(op, plan.results, "result", len(result_types), plan.result_segments)
    _verify_properties(op, definition)
    _verify_types(plan.operands, operand_sizes, operand_types, "operand")
    _verify_types(plan.results, result_sizes, result_types, "result")
    for trait in plan.traits:
        trait.verify(op)


def _verify_regions(op: Operation, definition: OpDef) -> None:
    declared = definition.regions
    variadic = any(isinstance(region, VariadicDef) for _, region in declared)
    if variadic:
        return
    if len(op.regions) != len(declared):
        raise VerifyException(f"requires {_count_of(len(declared), 'region')}")
    for index, (name, region) in enumerate(declared):
        count = len(op.regions[index].blocks)
        if isinstance(region, SingleBlockRegionDef) and count != 1:
            raise VerifyException(
                f"region #{index} ('{name}') failed to verify constraint: region with 1 blocks"
            )


def _count_of(count: int, noun: str) -> str:
    if count == 0:
        return f"zero {noun}s"
    return f"one {noun}" if count == 1 else f"{count} {noun}s"


def _verify_successors(op: Operation, definition: OpDef) -> None:
    declared = definition.successors
    variadic = any(isinstance(successor, VariadicDef) for _, successor in declared)
    if not variadic and len(op.successors) != len(declared):
        raise VerifyException(f"requires {len(declared)} successors but found {len(op.successors)}")


def _sizes(
    op: Operation, groups: Sequence[_Group], kind: Kind, count: int, segments: str
) -> Sequence[int]:
    """Compute how many operands or results belong to each group.

    Raises:
        VerifyException: Their number differs from the definition.
    """
    if segments:
        return _segment_sizes(op, groups, kind, count, segments)
    variadic = [group for group in groups if group.is_variadic]
    fixed = len(groups) - len(variadic)
    if not variadic:
        if count != fixed:
            raise _wrong_count(kind, fixed, count)
        return [1] * fixed
    rest = count - fixed
    if rest < 0:
        if kind == "result":
            raise VerifyException(f"expected {fixed} or more results")
        raise VerifyException(f"expected {fixed} or more operands, but found {count}")
    if all(group.is_optional for group in variadic):
        if rest > len(variadic):
            raise VerifyException(
                f"{kind} group starting at #{count - 1} requires 0 or 1 element, but found 2"
            )
        present = iter([1] * rest + [0] * (len(variadic) - rest))
        return [next(present) if group.is_variadic else 1 for group in groups]
    if rest % len(variadic):
        raise VerifyException(
            f"expected groups of {kind}s of one size, but found {rest} {kind}s in "
            f"{len(variadic)} groups"
        )
    share = rest // len(variadic)
    return [share if group.is_variadic else 1 for group in groups]


def _segment_sizes(
    op: Operation, groups: Sequence[_Group], kind: Kind, count: int, segments: str
) -> Sequence[int]:
    attribute = op.properties.get(segments)
    if not isinstance(attribute, DenseArrayBase):
        raise VerifyException(f"requires attribute '{segments}'")
    if attribute.elt_type != types.i32:
        raise VerifyException(f"attribute '{segments}' must be an i32 dense array attribute")
    sizes = array_values(attribute)
    if len(sizes) != len(groups):
        raise VerifyException(
            f"'{segments}' attribute for specifying {kind} segments must have {len(groups)} "
            f"elements, but got {len(sizes)}"
        )
    if any(size < 0 for size in sizes):
        raise VerifyException(f"'{segments}' attribute cannot have negative elements")
    if sum(sizes) != count:
        raise VerifyException(
            f"{kind} count ({count}) does not match with the total size ({sum(sizes)}) specified "
            f"in attribute '{segments}'"
        )
    start = 0
    for group, size in zip(groups, sizes, strict=True):
        limits = (0, 1) if group.is_optional else None if group.is_variadic else (1,)
        if limits is not None and size not in limits:
            accepted = " or ".join(map(str, limits))
            raise VerifyException(
                f"{kind} group starting at #{start} requires {accepted} element, but found {size}"
            )
        start += size
    return sizes


def _wrong_count(kind: Kind, expected: int, count: int) -> VerifyException:
    if kind == "result":
        return VerifyException(f"requires {_count_of(expected, 'result')}, but found {count}")
    if expected == 1:
        return VerifyException(f"requires a single operand, but found {count}")
    if expected == 0:
        return VerifyException(f"requires zero operands, but found {count}")
    return VerifyException(f"expected {expected} operands, but found {count}")


def _verify_properties(op: IRDLOperation, definition: OpDef) -> None:
    properties = op.properties
    context = VerificationContext()
    for name, declared in definition.properties.items():
        value = properties.get(name)
        if value is not None:
            try:
                declared.constr.verify(value, context)
            except VerifyException as error:
                raise VerifyException(f"attribute '{name}' {error}") from None
        elif not isinstance(declared, OptPropertyDef):
            raise VerifyException(f"requires attribute '{name}'")
    for name in properties:
        if name not in definition.properties and name not in SEGMENT_SIZES:
            raise VerifyException(f"has no property '{name}'")


def _verify_types(
    groups: Sequence[_Group], sizes: Sequence[int], listed: Sequence[Attribute], kind: Kind
) -> None:
    start = 0
    for group, size in zip(groups, sizes, strict=True):
        constraint = group.constraint
        if constraint is not None:
            for index in range(start, start + size):
                if not constraint.accepts(listed[index]):
                    what = constraint.description
                    if group.is_variadic and not group.is_optional:
                        what = f"variadic of {what}"
                    raise VerifyException(
                        f"{kind} #{index} must be {what}, but got '{listed[index]}'"
                    )
        start += size
