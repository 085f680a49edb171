"""What the lowering of one function knows while it goes through the syntax tree.

`Session` is what all functions of a module share: module, options, emitter, and the functions
lowered so far. `FunctionContext` is one function being lowered: its scope, the block that
operations go to, and the values it has returned.

    FunctionContext.expression(node) -> Value       FunctionContext.statements(nodes)

Both look the node's class up in a table (`dispatch.py`); each family of nodes has a file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from weft.errors import CompilationError, Location, UnsupportedError, WeftError
from weft.frontend.capture import Definition
from weft.frontend.options import FrontendOptions
from weft.frontend.scope import Scope
from weft.frontend.semantics.emitter import Emitter
from weft.ir.builtin import Block, ModuleOp
from weft.ir.rewriting import Builder
from weft.ir.tt import FuncOp
from weft.language.kernel_function import KernelFunction

ExpressionTable: TypeAlias = Mapping[type[ast.AST], Callable[["FunctionContext", Any], Any]]
StatementTable: TypeAlias = Mapping[type[ast.AST], Callable[["FunctionContext", Any], None]]


@dataclass(frozen=True, slots=True)
class Tables:
    """Say which function lowers which class of node."""

    expressions: ExpressionTable
    statements: StatementTable


@dataclass(frozen=True, slots=True)
class Instance:
    """Hold one function lowered for one list of argument types and constants.

    Args: symbol: name in the module.  op: the function.
          result: a value of the kind it returns, over the callee's own SSA values.
    """

    symbol: str
    op: FuncOp
    result: Any


@dataclass(slots=True)
class Session:
    """Hold what the functions of one module share."""

    module: ModuleOp
    options: FrontendOptions
    builder: Builder
    emitter: Emitter
    tables: Tables
    instances: dict[tuple[KernelFunction, str], Instance] = field(default_factory=dict)
    symbols: set[str] = field(default_factory=set)
    active: list[KernelFunction] = field(default_factory=list)

    def append(self, op: FuncOp) -> None:
        """Put a function at the end of the module."""
        self.module.body.block.add_op(op)

    def free_symbol(self, wanted: str) -> str:
        """Return `wanted`, numbered if the module has it already, and take it."""
        symbol, number = wanted, 0
        while symbol in self.symbols:
            number += 1
            symbol = f"{wanted}_{number}"
        self.symbols.add(symbol)
        return symbol


@dataclass(frozen=True, slots=True)
class ReturnSite:
    """Hold one way out of a function: the block that ends there, the value, and the node."""

    block: Block
    value: Any
    node: ast.AST
    is_written: bool


class FunctionContext:
    """Lower one function into the blocks of one `tt.func`.

    Args: session: shared by the module.  function: what is lowered.  definition: its tree.
          entry: the first block.  scope: the parameters.
    """

    def __init__(
        self,
        session: Session,
        function: KernelFunction,
        definition: Definition,
        entry: Block,
        scope: Scope,
    ) -> None:
        self.session = session
        self.emitter = session.emitter
        self.builder = session.builder
        self.function = function
        self.definition = definition
        self.scope = scope
        self.block = entry
        self.alive = True
        self.region_depth = 0
        self.returns: list[ReturnSite] = []
        self.naming: str | None = None

    def expression(self, node: ast.expr) -> Any:
        """Lower one expression and return its value.

        Raises: UnsupportedError: kernels cannot hold such an expression.
        """
        handler = self.session.tables.expressions.get(type(node))
        if handler is None:
            self.unsupported(node, self.session.tables.expressions)
        builder = self.builder
        outer = builder.location
        if type(node) not in _SILENT:
            builder.location = self.definition.location(node, self.naming)
        try:
            return handler(self, node)
        except WeftError as error:
            self.locate(error, node)
            raise
        finally:
            builder.location = outer

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Lower statements in order, up to the first `return` that is always reached."""
        for node in nodes:
            if not self.alive:
                return
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        """Lower one statement.

        Raises: UnsupportedError: kernels cannot hold such a statement.
        """
        handler = self.session.tables.statements.get(type(node))
        if handler is None:
            self.unsupported(node, self.session.tables.statements)
        self.builder.location = self.definition.location(node)
        try:
            handler(self, node)
        except WeftError as error:
            self.locate(error, node)
            raise

    def move_to(self, block: Block) -> None:
        """Let the operations that follow go to the end of `block`."""
        self.block = block
        self.builder.at_end(block)

    @contextmanager
    def inside(self, block: Block, scope: Scope) -> Iterator[None]:
        """Lower into the only block of a nested region, with names of its own."""
        outer_block, outer_scope, location = self.block, self.scope, self.builder.location
        self.region_depth += 1
        self.scope = scope
        self.move_to(block)
        try:
            yield
        finally:
            self.region_depth -= 1
            self.scope = outer_scope
            self.move_to(outer_block)
            self.builder.location = location

    @contextmanager
    def named(self, name: str | None) -> Iterator[None]:
        """Lower an expression whose value gets a name: the locations carry it."""
        outer, self.naming = self.naming, name
        try:
            yield
        finally:
            self.naming = outer

    def position(self, node: ast.AST) -> Location:
        """Return where a node stands in the source."""
        return self.definition.position(node)

    def locate(self, error: WeftError, node: ast.AST) -> None:
        """Give an error that has no place yet the place of `node`."""
        if error.location is None:
            error.location = self.position(node)

    def fail(
        self,
        node: ast.AST,
        message: str,
        *,
        error: type[CompilationError] = CompilationError,
        **details: Any,
    ) -> NoReturn:
        """Raise an error at `node`; `details` are found, accepted and hint."""
        raise error(message, location=self.position(node), **details)

    def unsupported(self, node: ast.AST, table: Mapping[type[ast.AST], Any]) -> NoReturn:
        """Raise for a node that kernels cannot hold."""
        kind = _KIND_NAMES.get(type(node), type(node).__name__)
        self.fail(
            node,
            f"a kernel cannot use {kind}",
            error=UnsupportedError,
            found=kind,
            accepted=sorted({_KIND_NAMES.get(known, known.__name__) for known in table}),
            hint=_HINTS.get(type(node)),
        )


# Most nodes are of these kinds, and they emit nothing: no location is made for them.
_SILENT = frozenset({ast.Name, ast.Constant})

_KIND_NAMES: dict[type[ast.AST], str] = {
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
    ast.Break: "carry a flag through a while loop, or mask the work that is not wanted",
    ast.Continue: "put the rest of the body under an if",
    ast.FunctionDef: "define it at module level with @weft.jit",
    ast.Lambda: "define it at module level with @weft.jit",
    ast.NamedExpr: "assign in a statement of its own",
    ast.Import: "import at module level",
    ast.ImportFrom: "import at module level",
    ast.Raise: "use tl.static_assert or tl.device_assert",
    ast.Dict: "use a tuple, or separate names",
}
