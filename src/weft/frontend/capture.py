"""Parse a kernel function once, and answer where each node of it stands.

The syntax tree, the lines and what the control-flow lowering asks of a statement again and again
(does it return? which names does it bind?) are kept per function; lowering it for another
signature parses nothing.
"""

from __future__ import annotations

import ast
import weakref
from functools import cached_property

from weft.errors import Location, UnsupportedError
from weft.ir import locations
from weft.language.kernel_function import KernelFunction, SourceText


class Definition:
    """Hold the syntax tree of one function and the text it came from.

    Args: node: the tree.  source: its text.
          line_offset: what to add to a line number of the tree to get that of the file.
    """

    def __init__(self, node: ast.FunctionDef, source: SourceText, line_offset: int) -> None:
        self.node = node
        self.file = source.file
        self._line_offset = line_offset
        self._first_line = source.line
        self._text = source.text
        self._locations: dict[tuple[int, int, str | None], locations.LocationAttr] = {}
        self._returning: dict[int, bool] = {}
        self._bound: dict[int, frozenset[str]] = {}
        self._loop_variables: dict[int, frozenset[str]] = {}

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines of the function."""
        return self._text.splitlines()

    def line(self, node: ast.AST) -> int:
        """Return the line of the file that `node` starts in."""
        return getattr(node, "lineno", self.node.lineno) + self._line_offset

    def position(self, node: ast.AST) -> Location:
        """Return where `node` stands, with its source line, for an error."""
        line = self.line(node)
        column = getattr(node, "col_offset", -1) + 1
        index = line - self._first_line
        text = self.lines[index] if 0 <= index < len(self.lines) else ""
        end = getattr(node, "end_col_offset", None)
        one_line = getattr(node, "end_lineno", 0) == getattr(node, "lineno", 0)
        end_column = end + 1 if end is not None and one_line else len(text) + 1
        return Location(self.file, line, column, end_column, text)

    def location(self, node: ast.AST, name: str | None = None) -> locations.LocationAttr:
        """Return the IR location of `node`, wrapped in the name of the value it makes, if any."""
        line = self.line(node)
        column: int = getattr(node, "col_offset", -1) + 1
        key = (line, column, name)
        known = self._locations.get(key)
        if known is None:
            known = locations.file(self.file, line, column)
            if name is not None:
                known = locations.named(name, known)
            self._locations[key] = known
        return known

    def returns(self, node: ast.stmt) -> bool:
        """Tell whether a `return` stands anywhere inside a statement."""
        known = self._returning.get(id(node))
        if known is None:
            known = any(isinstance(child, ast.Return) for child in ast.walk(node))
            self._returning[id(node)] = known
        return known

    def binds(self, node: ast.stmt) -> frozenset[str]:
        """Return the names that a statement, or one nested in it, may bind."""
        known = self._bound.get(id(node))
        if known is None:
            known = frozenset(
                child.id
                for child in ast.walk(node)
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
            )
            self._bound[id(node)] = known
        return known

    def loop_variables(self, node: ast.stmt) -> frozenset[str]:
        """Return the names that `for` statements, `node` itself or nested in it, count with."""
        known = self._loop_variables.get(id(node))
        if known is None:
            known = frozenset(
                target.id
                for child in ast.walk(node)
                if isinstance(child, ast.For)
                for target in ast.walk(child.target)
                if isinstance(target, ast.Name)
            )
            self._loop_variables[id(node)] = known
        return known


_DEFINITIONS: weakref.WeakKeyDictionary[KernelFunction, Definition] = weakref.WeakKeyDictionary()


def definition(function: KernelFunction) -> Definition:
    """Return the parsed definition of a function, parsing it when first asked.

    Raises: UnsupportedError: no source text, or not written with `def`.
    """
    known = _DEFINITIONS.get(function)
    if known is None:
        known = _DEFINITIONS[function] = _parse(function)
    return known


def _parse(function: KernelFunction) -> Definition:
    source = function.source
    added = int(source.is_indented)
    text = f"if True:\n{source.text}" if added else source.text
    try:
        node: ast.AST = ast.parse(text, source.file).body[0]
    except SyntaxError as error:
        raise UnsupportedError(
            f"the file no longer holds the source of kernel {function.name}",
            location=Location(source.file, source.line),
            found=str(error),
            hint="import it again after a change",
        ) from error
    if isinstance(node, ast.If):
        node = node.body[0]
    if not isinstance(node, ast.FunctionDef):
        raise UnsupportedError(
            "a kernel must be a Python function defined with def",
            location=Location(source.file, source.line, 1, 0, source.text.splitlines()[0]),
            found=type(node).__name__,
        )
    return Definition(node, source, source.line - 1 - added)
