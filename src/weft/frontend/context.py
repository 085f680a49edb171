"""The state of lowering a module and a function.

`Session` is shared by the functions of a module: module, options, emitter and the functions lowered
so far. `FunctionContext` is one function: its scope, the current block and its return sites.

    FunctionContext.expression(node) -> Value       FunctionContext.statements(nodes)

Both dispatch on the class of the node (`dispatch.py`).

An operation has the location of the node that was lowered last, as in Triton: that of a call is the
location of its last argument, that of `a + b` the location of `b`. After a node, the location of
the builder is the start of this node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeAlias

from msgspec import Struct, field

from weft.errors import CompilationError, ErrorForm, Location, UnsupportedError, WeftError
from weft.frontend.definition import Definition
from weft.frontend.options import FrontendOptions
from weft.frontend.scope import Scope
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.value_locations import LocationLog
from weft.frontend.semantics.values import Value
from weft.ir.builtin import Block, ModuleOp
from weft.ir.locations import LocationAttr
from weft.ir.rewriting import Builder
from weft.ir.tt import FuncOp
from weft.language.constexpr import unwrap
from weft.language.kernel_function import KernelFunction

_NONE = "the constant None"  # as errors name it under `found`

# Any: each function takes the class of node that it is listed for.
ExpressionTable: TypeAlias = Mapping[type[ast.AST], Callable[["FunctionContext", Any], Value]]
StatementTable: TypeAlias = Mapping[type[ast.AST], Callable[["FunctionContext", Any], None]]


class Tables(Struct, frozen=True):
    """The function that lowers each class of node.

    Attributes:
        expressions: By class of expression.
        statements: By class of statement.
    """

    expressions: ExpressionTable
    statements: StatementTable


class Instance(Struct, frozen=True):
    """A function lowered for a list of argument types and constants.

    Attributes:
        symbol: Its name in the module.
        op: The operation.
        result: The value that it returns, made of the callee's SSA values.
    """

    symbol: str
    op: FuncOp
    result: Value


class Session(Struct):
    """The state that the functions of a module share.

    Attributes:
        module: The module.
        options: The properties of target and launch.
        builder: Inserts operations.
        emitter: Emits operators and builtins with the builder.
        tables: The functions that lower each class of node.
        instances: The functions lowered so far, by function and mangled symbol.
        symbols: The symbols of the module.
        active: The functions that are being lowered, outermost first.
        lowering: The same but the kernel, with their symbols.
    """

    module: ModuleOp
    options: FrontendOptions
    builder: Builder
    emitter: Emitter
    tables: Tables
    instances: dict[tuple[KernelFunction, str], Instance] = field(default_factory=dict)
    symbols: set[str] = field(default_factory=set)
    active: list[KernelFunction] = field(default_factory=list)
    lowering: set[tuple[KernelFunction, str]] = field(default_factory=set)

    def append(self, op: FuncOp) -> None:
        """Add a function to the end of the module."""
        self.module.body.block.add_op(op)

    def unique_symbol(self, name: str) -> str:
        """Reserve a symbol: `name`, with a number if the module has it already."""
        symbol, number = name, 0
        while symbol in self.symbols:
            number += 1
            symbol = f"{name}_{number}"
        self.symbols.add(symbol)
        return symbol


class ReturnSite(Struct, frozen=True):
    """A point where a function returns.

    Attributes:
        block: The block that ends there.
        value: The value that is returned.
        node: The statement.
        location: The location of the return: that of the value, if there is one.
        is_explicit: Whether it is a `return` statement, rather than the end of the body.
    """

    block: Block
    value: Value
    node: ast.AST
    location: LocationAttr
    is_explicit: bool


class FunctionContext:
    """Lowers one function to the blocks of a `tt.func`.

    Attributes:
        session: The state of the module.
        emitter: The session's emitter.
        builder: The session's builder.
        function: The function.
        definition: Its syntax tree.
        scope: The names in the current block.
        block: The block that operations are added to.
        is_reachable: Whether the current block has not returned.
        region_depth: The number of regions around the current block.
        returns: The return sites.
        result_name: The name that the expression's value is assigned to, for locations.
        function_location: The location of the function.
        locations: The changes of locations, to apply when the function is lowered.
    """

    def __init__(
        self,
        session: Session,
        function: KernelFunction,
        definition: Definition,
        entry: Block,
        scope: Scope,
    ) -> None:
        """Start at an entry block, with the parameters in `scope`."""
        self.session = session
        self.emitter = session.emitter
        self.builder = session.builder
        self.function = function
        self.definition = definition
        self.scope = scope
        self.block = entry
        self.is_reachable = True
        self.region_depth = 0
        self.returns: list[ReturnSite] = []
        self.result_name: str | None = None
        self.function_location = definition.location(definition.node)
        self.locations = LocationLog()

    def expression(self, node: ast.expr) -> Value:
        """Lower an expression.

        Raises:
            UnsupportedError: Kernels do not support this class of expression.
        """
        handler = self.session.tables.expressions.get(type(node))
        if handler is None:
            self.fail_unsupported(node, self.session.tables.expressions)
        location = self.definition.location(node, self.result_name)
        self.builder.location = location
        try:
            value = handler(self, node)
        except WeftError as error:
            self.locate(error, node)
            self._raise_for_triton(error, node)
            raise
        self.builder.location = location
        return value

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Lower statements up to the first one that always returns."""
        for node in nodes:
            if not self.is_reachable:
                return
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        """Lower a statement.

        Raises:
            UnsupportedError: Kernels do not support this class of statement.
        """
        handler = self.session.tables.statements.get(type(node))
        if handler is None:
            self.fail_unsupported(node, self.session.tables.statements)
        location = self.builder.location = self.definition.location(node)
        try:
            handler(self, node)
        except WeftError as error:
            self.locate(error, node)
            self._raise_for_triton(error, node)
            raise
        self.builder.location = location

    def move_to(self, block: Block) -> None:
        """Insert the following operations at the end of `block`."""
        self.block = block
        self.builder.at_end(block)

    @contextmanager
    def inside(self, block: Block, scope: Scope) -> Iterator[None]:
        """Lower into the block of a nested region, with its own scope."""
        outer_block, outer_scope = self.block, self.scope
        self.region_depth += 1
        self.scope = scope
        self.move_to(block)
        try:
            yield
        finally:
            self.region_depth -= 1
            self.scope = outer_scope
            self.move_to(outer_block)

    @contextmanager
    def named(self, name: str | None) -> Iterator[None]:
        """Lower an expression whose value is assigned to a name, which its locations include."""
        outer, self.result_name = self.result_name, name
        try:
            yield
        finally:
            self.result_name = outer

    def position(self, node: ast.AST) -> Location:
        """Return the source position of a node."""
        return self.definition.position(node)

    def locate(self, error: WeftError, node: ast.AST) -> None:
        """Set the location of an error to that of `node`, unless it has one.

        An error about None gets a hint with the parameters of the expression that are None.
        """
        if error.location is not None:
            return
        error.location = self.position(node)
        if error.found == _NONE and error.hint is None:
            error.hint = self._hint_about_none(node)
        if isinstance(error, CompilationError):
            self._add_source(error, node)
            if ErrorForm.is_triton and error.__cause__ is None and isinstance(node, ast.Call):
                error.__cause__ = error.cause()

    def _raise_for_triton(self, error: WeftError, node: ast.AST) -> None:
        """Raise a CompilationError from an error of another class, for programs for Triton."""
        if ErrorForm.is_triton and not isinstance(error, CompilationError):
            details = {"found": error.found, "accepted": error.accepted, "hint": error.hint}
            outer = CompilationError(error.message, location=error.location, **details)
            self._add_source(outer, node)
            raise outer from error

    def _add_source(self, error: CompilationError, node: ast.AST) -> None:
        error.node, error.src = node, self.definition.source_from_def

    def _hint_about_none(self, node: ast.AST) -> str | None:
        names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
        missing = [
            name
            for name in names
            if name in self.function.parameter_names
            and name in self.scope.values
            and unwrap(self.scope.values[name]) is None
        ]
        if not missing:
            return None
        name = missing[0]
        return f"argument {name} is None: pass an array, or use it under `if {name} is not None:`"

    def fail(
        self,
        node: ast.AST,
        message: str,
        *,
        error: type[CompilationError] = CompilationError,
        found: object = None,
        accepted: Iterable[object] = (),
        hint: str | None = None,
    ) -> NoReturn:
        """Raise an error located at `node`."""
        location = self.position(node)
        raised = error(message, location=location, found=found, accepted=accepted, hint=hint)
        self._add_source(raised, node)
        raise raised

    def fail_unsupported(self, node: ast.AST, table: ExpressionTable | StatementTable) -> NoReturn:
        """Raise an error for a class of node that kernels do not support."""
        self.fail(
            node,
            f"unsupported AST node type: {type(node).__name__}",
            error=UnsupportedError,
            found=_NODE_NAMES.get(type(node), type(node).__name__),
            accepted=sorted({_NODE_NAMES.get(cls, cls.__name__) for cls in table}),
            hint=_HINTS.get(type(node)),
        )


_NODE_NAMES: dict[type[ast.AST], str] = {
    ast.AnnAssign: "an annotated assignment",
    ast.Assert: "assert",
    ast.Assign: "an assignment",
    ast.AsyncFor: "async for",
    ast.AsyncFunctionDef: "async def",
    ast.Attribute: "an attribute",
    ast.AugAssign: "an augmented assignment",
    ast.Await: "await",
    ast.BinOp: "an operator",
    ast.BoolOp: "and/or",
    ast.Break: "break",
    ast.Call: "a call",
    ast.ClassDef: "class",
    ast.Compare: "a comparison",
    ast.Constant: "a constant",
    ast.Continue: "continue",
    ast.Delete: "del",
    ast.Dict: "a dict",
    ast.DictComp: "a dict comprehension",
    ast.Expr: "an expression",
    ast.For: "for",
    ast.FunctionDef: "a nested function",
    ast.GeneratorExp: "a generator",
    ast.Global: "global",
    ast.If: "if",
    ast.IfExp: "a conditional expression",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.JoinedStr: "an f-string",
    ast.Lambda: "lambda",
    ast.List: "a list",
    ast.ListComp: "a list comprehension",
    ast.Match: "match",
    ast.Name: "a name",
    ast.NamedExpr: "an assignment expression",
    ast.Nonlocal: "nonlocal",
    ast.Pass: "pass",
    ast.Raise: "raise",
    ast.Return: "return",
    ast.Set: "a set",
    ast.SetComp: "a set comprehension",
    ast.Slice: "a slice",
    ast.Starred: "a starred expression",
    ast.Subscript: "a subscript",
    ast.Try: "try",
    ast.Tuple: "a tuple",
    ast.UnaryOp: "a unary operator",
    ast.While: "while",
    ast.With: "with",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
}

_HINTS: dict[type[ast.AST], str] = {
    ast.Break: "use a while loop with a flag, or mask the work that is not needed",
    ast.Continue: "put the rest of the body under an if",
    ast.FunctionDef: "nested function definition is not supported: define it at module level "
    "with @weft.jit",
    ast.Lambda: "define it at module level with @weft.jit",
    ast.NamedExpr: "use a separate assignment",
    ast.Import: "import at module level",
    ast.ImportFrom: "import at module level",
    ast.Raise: "use tl.static_assert or tl.device_assert",
    ast.Dict: "use a tuple, or separate names",
}
