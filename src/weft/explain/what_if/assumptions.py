"""Read assumptions about the arguments of a kernel, and apply them to a compile.

n % 16 == 0        n is divisible: `:16` in the signature, for a pointer its address
n == 1             a constant of the kernel: `:1` in the signature
n == 4096          divisible by 16, and the trip counts of loops for the costs; llvm.intr.assume
0 < n <= 4096      llvm.intr.assume
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.compiler.type_names import is_integer
from weft.errors import WeftError, did_you_mean
from weft.explain.advice.edits import with_constant, with_divisible_arguments
from weft.explain.advice.workbench import ModuleEdit, Variant
from weft.explain.loop_iterations import argument_name
from weft.ir import arith, llvm, tt, types
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, walk

__all__ = ["Assumption", "parse_assumptions"]

_FORMS = ("n % 16 == 0", "n == 1", "n == 4096", "0 <= n < 4096")
_PREDICATES: dict[type[ast.cmpop], CmpIPredicate] = {
    ast.Eq: CmpIPredicate.EQ,
    ast.Lt: CmpIPredicate.SLT,
    ast.LtE: CmpIPredicate.SLE,
    ast.Gt: CmpIPredicate.SGT,
    ast.GtE: CmpIPredicate.SGE,
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.Eq,
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_SPECIALIZED = 16  # a launch specializes a kernel on divisibility by it


@dataclass(frozen=True, slots=True)
class Assumption:
    """One comparison of an argument with a number.

    Attributes:
        name: The argument.
        divisor: Of `name % divisor == 0`; 0 for a comparison of the argument itself.
        operator: The comparison, with the argument on the left.
        number: The number.
    """

    name: str
    divisor: int
    operator: type[ast.cmpop]
    number: int

    @property
    def value(self) -> int | None:
        """The value of the argument, if the assumption names it."""
        return self.number if self.operator is ast.Eq and not self.divisor else None

    def apply(self, variant: Variant) -> Variant:
        """Apply the assumption to a compile.

        Raises:
            WeftError: The kernel has no such argument, or one of another type.
        """
        if variant.signature is None:
            raise WeftError(
                "--assume needs a kernel, not IR", found=self.name, accepted=["FILE.py"]
            )
        signature = variant.signature
        path = self._path(signature)
        if self.divisor:
            changed = with_divisible_arguments(signature, [path], self.divisor)
            return replace(variant, signature=changed)
        if self.value == 1:
            return replace(variant, signature=with_constant(signature, path, 1))
        if self.value is not None and self.value % _SPECIALIZED == 0:
            changed = with_divisible_arguments(signature, [path], _SPECIALIZED)
            variant = replace(variant, signature=changed)
        edit = f"assume {self.name} {self.operator.__name__} {self.number}", self._condition()
        return replace(variant, edits=(*variant.edits, edit))

    def _path(self, signature: Signature) -> Path:
        """Find the argument, and check its type."""
        kinds = {
            signature.names[path[0]]: (path, kind)
            for path, kind in signature.runtime_arguments()
            if len(path) == 1
        }
        if self.name not in kinds:
            what = "is a compile-time constant" if self.name in signature.names else "is unknown"
            raise WeftError(
                f"cannot assume anything of {self.name}, which {what}",
                found=self.name,
                accepted=kinds,
                hint=did_you_mean(self.name, kinds),
            )
        path, kind = kinds[self.name]
        if not is_integer(kind) and not (kind.startswith("*") and self.divisor):
            accepted = [f"{self.name} % 16 == 0"] if kind.startswith("*") else []
            accepted += [name for name, (_, each) in kinds.items() if is_integer(each)]
            raise WeftError(
                f"cannot compare {self.name} with a number", found=kind, accepted=accepted
            )
        return path

    def _condition(self) -> ModuleEdit:
        """Return the edit that inserts the comparison at the start of the kernel."""

        def edit(module: ModuleOp) -> None:
            argument = _argument(module, self.name)
            if argument is None:
                return  # TTIR passes removed it
            function = argument.owner
            assert not isinstance(function, tt.FuncOp)
            builder = Builder().at_start(function)  # pyright: ignore
            number = builder.constant(self.number, argument.type)
            properties = {"predicate": _PREDICATES[self.operator].attr()}
            condition = builder.value(arith.CmpIOp, [argument, number], types.i1, properties)
            builder.create(llvm.AssumeOp, [condition])

        return edit


def _argument(module: ModuleOp, name: str) -> SSAValue | None:
    for op in walk(module):
        if isinstance(op, tt.FuncOp) and op.is_public:
            block = op.regions[0].block
            return next((each for each in block.args if argument_name(each) == name), None)
    return None


def parse_assumptions(text: str) -> tuple[Assumption, ...]:
    """Read comparisons of arguments with numbers, joined by `and` or in a chain.

    Raises:
        WeftError: The text has another form.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise _error(text) from None
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    return tuple(each for part in parts for each in _comparisons(part, text))


def _comparisons(node: ast.expr, text: str) -> Iterator[Assumption]:
    if not isinstance(node, ast.Compare):
        raise _error(text)
    operands = [node.left, *node.comparators]
    for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
        yield _comparison(left, type(operator), right, text)


def _comparison(
    left: ast.expr, operator: type[ast.cmpop], right: ast.expr, text: str
) -> Assumption:
    if operator not in _PREDICATES:
        raise _error(text)
    number = _number(right)
    if number is None:  # 0 < n is n > 0
        left, number, operator = right, _number(left), _MIRRORED[operator]
    if number is None:
        raise _error(text)
    if isinstance(left, ast.Name):
        return Assumption(left.id, 0, operator, number)
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
        divisor = _number(left.right)
        is_divisible = operator is ast.Eq and number == 0
        if isinstance(left.left, ast.Name) and is_divisible and divisor and _is_power(divisor):
            return Assumption(left.left.id, divisor, operator, number)
    raise _error(text)


def _is_power(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _number(node: ast.expr) -> int | None:
    """Read an integer constant, with or without a sign."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def _error(text: str) -> WeftError:
    return WeftError(
        "cannot read the assumption",
        found=text,
        accepted=_FORMS,
        hint="an argument is compared with a number; a divisor is a power of two",
    )
