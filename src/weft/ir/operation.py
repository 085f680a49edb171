"""How an operation is written down: an IRDL class that reads like its specification.

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

`FORMAT` is MLIR's declarative assembly format; `INFER` names the types that the text leaves
out. Importing a dialect is cheap: IRDL reads the class, and gives it its accessors, when somebody
first makes such an operation; the format is compiled when one is first parsed or printed.

`RESULT_NAMES` are the names that the text gives the groups of results; `BARE_TYPES` the classes
of the types that `bare-type($x)` prints without their mnemonic; `CUSTOM` says by ("module:class",
arguments…) which element of the format `custom<Name>` stands for.

Optional operands that can only be left out from the right (`mask`, then `other`) are one
variadic operand named `optionals`, with the names in `OPTIONALS`: presence follows from the
count, as a kernel author reads it, and no segment sizes need to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

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

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

Types = Mapping[str, Any]
Infer = Mapping[str, Callable[[Types], Any]]

OPTIONALS = "optionals"
_DEFINING = RLock()


def same(name: str) -> Callable[[Types], Any]:
    """Infer a type as that of operand or result `name`."""
    return lambda given: given[name]


def same_shape(name: str, element: Attribute) -> Callable[[Types], Any]:
    """Infer a type of the given element with the shape and encoding of `name`'s type."""
    return lambda given: types.with_element(given[name], element)


def element_of(name: str) -> Callable[[Types], Any]:
    """Infer a type as the element type of `name`'s."""
    return lambda given: types.element(given[name])


def pointee(name: str) -> Callable[[Types], Any]:
    """Infer the type that `name`'s pointers point to, in the same shape and encoding."""

    def infer(given: Types) -> Any:
        pointer_type = given[name]
        scalar = types.element(pointer_type)
        if not types.is_pointer(scalar):
            raise TypeError(f"a pointer or a tensor of pointers expected, found {pointer_type}")
        return types.with_element(pointer_type, scalar.pointee)

    return infer


def fixed(type_: Attribute) -> Callable[[Types], Any]:
    """Infer one fixed type."""
    return lambda given: type_


class _Defaults:
    """The properties that an operation has unless told otherwise; it is defined when asked."""

    def __get__(self, op: object, owner: type[Op]) -> dict[str, Attribute]:
        return _define(owner)


class Op(IRDLOperation):
    """Base of all operations that weft defines."""

    traits = traits_def()
    FORMAT: ClassVar[str] = ""
    INFER: ClassVar[Infer] = {}
    OPTIONALS: ClassVar[tuple[str, ...]] = ()
    BARE_TYPES: ClassVar[Mapping[str, type[ParametrizedAttribute]]] = {}
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ()
    CUSTOM: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    DEFAULTS: ClassVar[dict[str, Attribute]] = cast("dict[str, Attribute]", _Defaults())

    def __post_init__(self) -> None:  # runs for every operation, however it is made
        properties = self.properties
        for key, value in self.DEFAULTS.items():
            if key not in properties:
                properties[key] = value

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        _define(cls)
        return cls.get_irdl_definition()  # it is another one by now

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        from weft.ir.assembly_format import program

        if not cls.FORMAT:
            parser.raise_error(f"{cls.name} has no custom form; write it in the generic form")
        return program(cls).parse(parser)

    def print(self, printer: Printer) -> None:
        from weft.ir.assembly_format import program

        program(type(self)).print(printer, self)

    def operand_or_none(self, index: int) -> SSAValue | None:
        """Return an operand, or None where there are fewer."""
        operands = self.operands
        return operands[index] if index < len(operands) else None

    @property
    def generic_properties(self) -> dict[str, Attribute]:
        """Return the properties as the generic form lists them: sorted, sizes of groups too."""
        found = dict(self.properties)
        if len(self.OPTIONALS) > 1:
            fixed_count = len(operand_names(type(self))) - len(self.OPTIONALS)
            given = len(self.operands) - fixed_count
            sizes = [1] * fixed_count + [int(i < given) for i in range(len(self.OPTIONALS))]
            found["operandSegmentSizes"] = attributes.array_i32(tuple(sizes))
        return {name: found[name] for name in sorted(found)}

    def result_groups(self) -> list[int]:
        """Return how many results each of `RESULT_NAMES` has; all but one have a fixed number."""
        sizes = self.properties.get("resultSegmentSizes")
        if sizes is not None:
            return list(sizes.get_values())  # pyright: ignore[reportAttributeAccessIssue]
        kinds = [kind for _, kind in result_names(type(self))]
        spare = len(self.results) - kinds.count("one")
        return [1 if kind == "one" else spare for kind in kinds]

    @property
    def generic_only(self) -> bool:
        """Tell whether the operation has no custom form (`tt.reduce`)."""
        return not self.FORMAT and type(self).print is Op.print


class _OperandAt:
    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __get__(self, op: Operation, owner: type) -> SSAValue:
        return operand_at(op, self.index)


def operand_at(op: Operation, index: int) -> SSAValue:
    """Return an operand: `op.operands[index]`, where that is asked ten thousand times a compile.

    xDSL makes a view of the operands for each question, and looks for slices.
    """
    return tuple.__getitem__(op._operands, index)  # pyright: ignore[reportPrivateUsage]


_OpClass = TypeVar("_OpClass", bound=type[Op])


def operation(cls: _OpClass) -> _OpClass:
    """Declare a class to be an operation; see the head of this file."""
    if "name" not in cls.__dict__:
        raise TypeError(f"{cls.__name__} has no name")
    return cls


def _define(cls: type[Op]) -> dict[str, Attribute]:
    """Give a class its IRDL definition and fast accessors, once, and return its `DEFAULTS`."""
    with _DEFINING:
        if "DEFAULTS" not in cls.__dict__:
            irdl_op_definition(cls)
            definition = cls.get_irdl_definition()
            _read_operands_by_index(cls, definition)
            cls.DEFAULTS = {  # the last: who finds it finds all of it
                name: prop.default_value
                for name, prop in definition.properties.items()
                if prop.default_value is not None and not isinstance(prop, OptionalDef)
            }
        return cls.DEFAULTS


def _read_operands_by_index(cls: type[Op], definition: OpDef) -> None:
    """Let operands whose place does not depend on how many others there are be read by index."""
    names = [name for name, _ in definition.operands]
    if OPTIONALS in names:
        names = names[: names.index(OPTIONALS)]
    for index, (name, kind) in enumerate(definition.operands[: len(names)]):
        if isinstance(kind, OptionalDef):
            continue
        if any(isinstance(k, VariadicDef) for _, k in definition.operands[: index + 1]):
            break
        setattr(cls, name, _OperandAt(index))


def _kind(kind: object) -> str:
    if isinstance(kind, OptionalDef):
        return "optional"
    return "many" if isinstance(kind, VariadicDef) else "one"


def operand_names(cls: type[Op]) -> Sequence[tuple[str, str]]:
    """Return (name, "one" | "optional" | "many") of each operand in order.

    The names in `OPTIONALS` stand for the variadic operand `optionals`.
    """
    found: list[tuple[str, str]] = []
    for name, kind in cls.get_irdl_definition().operands:
        if name == OPTIONALS:
            found += [(optional, "optional") for optional in cls.OPTIONALS]
        else:
            found.append((name, _kind(kind)))
    return found


@cache
def result_names(cls: type[Op]) -> Sequence[tuple[str, str]]:
    """Return (name, "one" | "optional" | "many") of each result in order."""
    return [(name, _kind(kind)) for name, kind in cls.get_irdl_definition().results]
