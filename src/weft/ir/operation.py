"""How an operation is defined: an IRDL class with MLIR's declarative assembly format.

    @operation
    class AddPtrOp(Op):
        \"\"\"Advance a pointer by an offset in elements. …\"\"\"

        name = "tt.addptr"
        ptr = operand_def()
        offset = operand_def()
        result = result_def()
        traits = traits_def(Pure())
        FORMAT: ClassVar[str] = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)"
        INFER: ClassVar[Infer] = {"ptr": same("result")}

`FORMAT` is the assembly format (MLIR, "Operation Definition Specification"); it is compiled when
the first operation of the class is parsed or printed. A class without it overrides `parse` and
`print`, or has the generic form only.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    OpDef,
    OptionalDef,
    VariadicDef,
    irdl_op_definition,
    traits_def,
)

from weft.ir import attributes, types
from weft.ir.assembly_format import FormatProgram, FormatSpec
from weft.ir.assembly_format.directive import FormatDirective
from weft.ir.assembly_format.spec import Arity
from weft.ir.assembly_format.state import InferType, ParsedTypes
from weft.ir.definition_verifier import verify_definition
from weft.ir.type_constraints import TypeConstraint

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = [
    "OPTIONALS",
    "Infer",
    "ParsedTypes",
    "Op",
    "element_of",
    "fixed",
    "operand_at",
    "operand_names",
    "operands_of",
    "operation",
    "pointee",
    "result_names",
    "same",
    "same_shape",
]

Infer = Mapping[str, InferType]
"""The types that the text omits, by the name of the operand or result."""

OPTIONALS = "optionals"
"""The name of the variadic operand that holds `Op.OPTIONALS`."""


def same(name: str) -> InferType:
    """Infer the type, or the types, as those of operand or result `name`."""
    return lambda known: known.get(name)


def same_shape(name: str, element: Attribute) -> InferType:
    """Infer a type of the given element with the shape and encoding of `name`'s type."""
    return lambda known: types.with_element(known[name], element)


def element_of(name: str) -> InferType:
    """Infer a type as the element type of `name`'s."""
    return lambda known: types.element(known[name])


def pointee(name: str) -> InferType:
    """Infer the type that `name`'s pointers point to, in the same shape and encoding."""

    def infer(known: ParsedTypes) -> Attribute:
        pointer_type = known[name]
        scalar = types.element(pointer_type)
        if not types.is_pointer(scalar):
            raise TypeError(
                f"'{name}' must be ptr or ranked tensor of ptr values, but got '{pointer_type}'"
            )
        return types.with_element(pointer_type, scalar.pointee)

    return infer


def fixed(type_: Attribute) -> InferType:
    """Infer one fixed type."""
    return lambda known: type_


class _OpMeta(ABCMeta):
    """Classes of operations, whose `isinstance` looks at base classes alone.

    `ABCMeta` would ask its registry of virtual subclasses, of which operations have none. Passes
    ask for the class of an operation ten thousand times per compile.
    """

    __instancecheck__ = type.__instancecheck__


class Op(IRDLOperation, metaclass=_OpMeta):
    """Base class of all operations that weft defines.

    Attributes:
        FORMAT: The declarative assembly format; "" for the generic form or custom methods.
        INFER: How to compute the types that `FORMAT` leaves out.
        OPTIONALS: The names of optional operands that can only be left out from the right, such
            as `mask`, then `other`. They are the elements of one variadic operand `optionals`,
            so their count says which are present and no segment sizes are stored.
        OPTIONAL_TYPES: The constraints on the types of `OPTIONALS`, by name.
        BARE_TYPES: The types that `bare-type($x)` prints without dialect and mnemonic, by `x`.
        RESULT_NAMES: The names of the result groups, printed as `%buffers:2, %token`.
        CUSTOM: The directive of each `custom<Name>`, by name.
        DEFAULTS: The properties that have a default value.
    """

    traits = traits_def()
    FORMAT: ClassVar[str] = ""
    INFER: ClassVar[Infer] = {}
    OPTIONALS: ClassVar[tuple[str, ...]] = ()
    OPTIONAL_TYPES: ClassVar[Mapping[str, TypeConstraint]] = {}
    BARE_TYPES: ClassVar[Mapping[str, type[ParametrizedAttribute]]] = {}
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ()
    CUSTOM: ClassVar[Mapping[str, FormatDirective]] = {}
    DEFAULTS: ClassVar[Mapping[str, Attribute]] = {}

    # By identity, as xDSL's, but that is in Python, and each look-up in a dictionary would call it.
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        # Every constructor of an operation ends here; xDSL's `create` sets no defaults.
        properties = self.properties
        for key, value in self.DEFAULTS.items():
            if key not in properties:
                properties[key] = value

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        if not cls.FORMAT:
            parser.raise_error(f"custom op '{cls.name}' has no custom assembly form")
        op = _format_program(cls).parse(parser)
        assert isinstance(op, cls)
        return op

    def print(self, printer: Printer) -> None:
        _format_program(type(self)).print(printer, self)

    def operand_or_none(self, index: int) -> SSAValue | None:
        """Get an operand, None if there are fewer."""
        operands = self.operands
        return operands[index] if index < len(operands) else None

    @property
    def generic_properties(self) -> dict[str, Attribute]:
        """The properties that the generic form prints: sorted, with operand segment sizes."""
        properties = dict(self.properties)
        if len(self.OPTIONALS) > 1:
            required = len(operand_names(type(self))) - len(self.OPTIONALS)
            present = len(self.operands) - required
            sizes = [1] * required + [int(i < present) for i in range(len(self.OPTIONALS))]
            properties["operandSegmentSizes"] = attributes.array_i32(tuple(sizes))
        return {name: properties[name] for name in sorted(properties)}

    def result_groups(self) -> list[int]:
        """Count the results of each of `RESULT_NAMES`; at most one group is variadic."""
        sizes = self.properties.get("resultSegmentSizes")
        if isinstance(sizes, DenseArrayBase):
            return list(attributes.array_values(sizes))
        arities = [arity for _, arity in result_names(type(self))]
        variadic = len(self.results) - arities.count("one")
        return [1 if arity == "one" else variadic for arity in arities]

    @property
    def generic_only(self) -> bool:
        """Whether the operation has no custom form (`tt.reduce`)."""
        return not self.FORMAT and type(self).print is Op.print


class _OperandAccessor:
    """Access a fixed operand by its index, without xDSL's search through the segments."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __get__(self, op: Operation, owner: type) -> SSAValue:
        return operand_at(op, self.index)

    def __set__(self, op: Operation, value: SSAValue) -> None:
        op.operands[self.index] = value


# xDSL's tuple of operands overrides `__getitem__` in Python, for slices.
_OperandTuple: type[tuple[SSAValue, ...]] = tuple


def operand_at(op: Operation, index: int) -> SSAValue:
    """Get `op.operands[index]` without the view that xDSL creates for `operands`.

    Folds call this thousands of times per compile.
    """
    return _OperandTuple.__getitem__(op._operands, index)  # pyright: ignore[reportPrivateUsage]


def operands_of(op: Operation) -> tuple[SSAValue, ...]:
    """Get the present operands of an operation, without the view that xDSL creates for `operands`.

    It is for what reads the operands of every operation of a module.
    """
    return op._operands  # pyright: ignore[reportPrivateUsage]


_OpClass = TypeVar("_OpClass", bound=type[Op])


def operation(cls: _OpClass) -> _OpClass:
    """Define an operation class: xDSL's `irdl_op_definition`, defaults, verifier, faster accessors.

    Raises:
        TypeError: The class has no `name`.
    """
    if "name" not in cls.__dict__:
        raise TypeError(f"{cls.__name__} has no name")
    verify_rules = cast("Callable[[Op], None]", cls.verify_)
    irdl_op_definition(cls)

    def verify_(op: Op) -> None:
        verify_definition(op)
        verify_rules(op)

    setattr(cls, "verify_", verify_)  # noqa: B010 (the method of the class above is typed)
    definition = cls.get_irdl_definition()
    for index, name in enumerate(_fixed_operands(definition)):
        setattr(cls, name, _OperandAccessor(index))
    cls.DEFAULTS = {
        name: prop.default_value
        for name, prop in definition.properties.items()
        if prop.default_value is not None and not isinstance(prop, OptionalDef)
    }
    return cls


def _fixed_operands(definition: OpDef) -> list[str]:
    """List the leading operands, whose index does not depend on how many others there are."""
    names: list[str] = []
    for name, kind in definition.operands:
        if isinstance(kind, VariadicDef):
            break
        names.append(name)
    return names


def _arity(definition: object) -> Arity:
    if isinstance(definition, OptionalDef):
        return "optional"
    return "many" if isinstance(definition, VariadicDef) else "one"


@cache
def operand_names(cls: type[Op]) -> tuple[tuple[str, Arity], ...]:
    """List the name and arity of each operand in order.

    The names in `OPTIONALS` replace the variadic operand `optionals`.
    """
    names: list[tuple[str, Arity]] = []
    for name, definition in cls.get_irdl_definition().operands:
        if name == OPTIONALS:
            names.extend((optional, "optional") for optional in cls.OPTIONALS)
        else:
            names.append((name, _arity(definition)))
    return tuple(names)


@cache
def result_names(cls: type[Op]) -> tuple[tuple[str, Arity], ...]:
    """List the name and arity of each result in order."""
    definition = cls.get_irdl_definition()
    return tuple((name, _arity(kind)) for name, kind in definition.results)


@cache
def _format_program(cls: type[Op]) -> FormatProgram:
    """Compile the assembly format of a class, once."""
    spec = FormatSpec(
        cls=cls,
        format=cls.FORMAT,
        definition=cls.get_irdl_definition(),
        operands=operand_names(cls),
        results=result_names(cls),
        infer=cls.INFER,
        bare_types=cls.BARE_TYPES,
        custom=cls.CUSTOM,
        defaults=cls.DEFAULTS,
    )
    return FormatProgram.compile(spec)
