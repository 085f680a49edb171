"""The parsed source of a kernel function, with the source position of each node.

Parsing, and the answers to repeated queries on the syntax tree (does a statement return? which
names does it bind?), are cached per function, for all signatures.
"""

from __future__ import annotations

import ast
import textwrap
import weakref
from functools import cached_property

from weft.errors import Location, UnsupportedError
from weft.ir import locations
from weft.language.kernel_function import KernelFunction, SourceText


class Definition:
    """The syntax tree of a function.

    Attributes:
        node: The tree.
        source: The source text.
        file: The path of the source file.
    """

    def __init__(self, node: ast.FunctionDef, source: SourceText, line_offset: int) -> None:
        """Wrap a syntax tree.

        Args:
            node: The tree.
            source: The source text.
            line_offset: The number to add to a line number of the tree for that of the file.
        """
        self.node = node
        self.source = source
        self.file = source.file
        self._line_offset = line_offset
        self._first_line = source.line
        self._text = source.text
        self._locations: dict[tuple[int, int, str | None], locations.LocationAttr] = {}
        # By id of the node: syntax nodes live as long as this object.
        self._returns: dict[int, bool] = {}
        self._bound_names: dict[int, frozenset[str]] = {}
        self._loop_variables: dict[int, frozenset[str]] = {}

    @cached_property
    def lines(self) -> list[str]:
        """The source lines of the function."""
        return self._text.splitlines()

    @property
    def source_from_def(self) -> str:
        """The source text from the `def` on, without its margin."""
        start = self.node.lineno + self._line_offset - self._first_line
        return textwrap.dedent("\n".join(self.lines[start:]))

    def line(self, node: ast.AST) -> int:
        """Return the line of the file that a node starts on, 1-based."""
        return getattr(node, "lineno", self.node.lineno) + self._line_offset

    def position(self, node: ast.AST) -> Location:
        """Return the source position of a node, with its source line, for errors."""
        line = self.line(node)
        column = getattr(node, "col_offset", -1) + 1
        index = line - self._first_line
        text = self.lines[index] if 0 <= index < len(self.lines) else ""
        end = getattr(node, "end_col_offset", None)
        is_one_line = getattr(node, "end_lineno", 0) == getattr(node, "lineno", 0)
        end_column = end + 1 if end is not None and is_one_line else len(text) + 1
        definition_line = self.node.lineno + self._line_offset
        margin = self.node.col_offset
        return Location(self.file, line, column, end_column, text, definition_line, margin)

    def location(self, node: ast.AST, name: str | None = None) -> locations.LocationAttr:
        """Return the IR location of a node, with the name that its value is assigned to, if any.

        Columns count from 0, as Triton's.
        """
        line = self.line(node)
        column: int = getattr(node, "col_offset", 0)
        key = (line, column, name)
        location = self._locations.get(key)
        if location is None:
            location = locations.file(self.file, line, column)
            if name is not None:
                location = locations.named(name, location)
            self._locations[key] = location
        return location

    def returns(self, node: ast.stmt) -> bool:
        """Check whether a statement contains a `return`."""
        result = self._returns.get(id(node))
        if result is None:
            result = any(isinstance(child, ast.Return) for child in ast.walk(node))
            self._returns[id(node)] = result
        return result

    def bound_names(self, node: ast.stmt) -> frozenset[str]:
        """List the names that a statement or one nested in it binds."""
        names = self._bound_names.get(id(node))
        if names is None:
            names = frozenset(
                child.id
                for child in ast.walk(node)
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)
            )
            self._bound_names[id(node)] = names
        return names

    def loop_variables(self, node: ast.stmt) -> frozenset[str]:
        """List the induction variables of the `for` loops in a statement, itself included."""
        names = self._loop_variables.get(id(node))
        if names is None:
            names = frozenset(
                target.id
                for child in ast.walk(node)
                if isinstance(child, ast.For)
                for target in ast.walk(child.target)
                if isinstance(target, ast.Name)
            )
            self._loop_variables[id(node)] = names
        return names


_DEFINITIONS: weakref.WeakKeyDictionary[KernelFunction, Definition] = weakref.WeakKeyDictionary()


def definition_of(function: KernelFunction) -> Definition:
    """Parse the source of a function, once.

    Raises:
        UnsupportedError: There is no source text, or it is not a `def` statement.
    """
    definition = _DEFINITIONS.get(function)
    if definition is None or definition.source is not function.source:
        definition = _DEFINITIONS[function] = _parse(function)
    return definition


def _parse(function: KernelFunction) -> Definition:
    source = function.source
    # An indented function parses as the body of a block, on one more line.
    extra_lines = int(source.is_indented)
    text = f"if True:\n{source.text}" if extra_lines else source.text
    try:
        node: ast.AST = ast.parse(text, source.file).body[0]
    except SyntaxError as error:
        raise UnsupportedError(
            f"the source file of kernel {function.name} has changed since it was imported",
            location=Location(source.file, source.line),
            found=str(error),
            hint="import it again",
        ) from error
    if isinstance(node, ast.If):
        node = node.body[0]
    if not isinstance(node, ast.FunctionDef):
        raise UnsupportedError(
            "a kernel must be a Python function defined with def",
            location=Location(source.file, source.line, 1, 0, source.text.splitlines()[0]),
            found=type(node).__name__,
        )
    return Definition(node, source, source.line - 1 - extra_lines)
