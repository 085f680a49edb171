"""List the layouts of a file of IR, with their properties for each tensor shape.

per thread   registers of a thread, with repeated elements
held by      number of locations that hold each element
in a row     longest contiguous run of a thread's registers, or of offsets in memory
vectors      elements that one access of at most 128 bits moves; for pointers, those pointed to
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from weft.cli.layout import legacy_dump
from weft.cli.layout.tensor_type import TensorType
from weft.cli.output import read as read_file
from weft.errors import LayoutError, did_you_mean
from weft.layouts import ENCODINGS, Encoding, LinearLayout, parse_prefix
from weft.layouts.legacy_encodings import NAMES

_ALIAS = re.compile(r"^(#\w+) = (?=#(\w+)\.(\w+))", re.MULTILINE)
_MAX_ACCESS_BITS = 128


@dataclass(frozen=True, slots=True)
class Use:
    """An encoding of a file.

    Attributes:
        name: Its alias, or its text.
        encoding: The encoding.
        types: The types of the values that have it.
    """

    name: str
    encoding: Encoding
    types: tuple[TensorType, ...]


def read(file: str) -> list[Use]:
    """List the encodings of a file: aliases in order, then those without an alias.

    Raises:
        ParseError: The file is not IR.
        WeftError: The file cannot be read.
    """
    from weft.ir.text import parse_module

    text = read_file(file)
    types: dict[Encoding, dict[TensorType, None]] = {}
    names: dict[Encoding, str] = {}
    if legacy_dump.is_legacy_dump(text):
        pairs, aliases = legacy_dump.scan(text), legacy_dump.aliases_of(text)
    else:
        pairs = _types(parse_module(text, "<stdin>" if file == "-" else file))
        aliases = _aliases(text)
    for encoding, type_ in pairs:
        types.setdefault(encoding, {})[type_] = None
    for name, encoding in aliases.items():
        names.setdefault(encoding, name)
    order = [*names, *(encoding for encoding in types if encoding not in names)]
    return [
        Use(names.get(each) or each.text(names.get), each, tuple(types.get(each, ())))
        for each in order
    ]


def _aliases(text: str) -> dict[str, Encoding]:
    """Map the aliases of IR text to their encodings."""
    aliases: dict[str, Encoding] = {}
    for match in _ALIAS.finditer(text):
        cls = ENCODINGS.get(NAMES.get(match[3], match[3]))
        if cls is not None and cls.dialect == match[2]:
            aliases[match[1]], _ = parse_prefix(text, match.end(), aliases)
    return aliases


def _types(module: object) -> Iterator[tuple[Encoding, TensorType]]:
    """Yield encoding and type of each value; for memory, the allocated shape."""
    from weft.ir import types
    from weft.ir.rewriting import walk
    from weft.ir.ttg.types import MemDescType

    for op in walk(module):  # type: ignore[arg-type]
        values = [*op.results, *(a for region in op.regions for b in region.blocks for a in b.args)]
        for value in values:
            type_ = value.type
            if types.is_tensor(type_):
                encoding, shape, element = types.encoding(type_), types.shape(type_), type_
            elif isinstance(type_, MemDescType):
                # The encoding of a multi-buffered allocation leaves out the leading dimension.
                encoding, shape, element = type_.encoding, type_.allocated, type_.element_type
                shape = shape[len(shape) - encoding.rank :] if encoding else shape
            else:
                continue
            if encoding is not None:
                scalar = types.element(element)
                accessed = scalar.pointee if types.is_pointer(scalar) else scalar
                yield encoding, TensorType(shape, str(accessed), types.bit_width(accessed))


def select(uses: Sequence[Use], names: Sequence[str]) -> list[Use]:
    """Select aliases by name, with or without the leading #; all without names.

    Raises:
        LayoutError: The file has no such alias.
    """
    known = {use.name: use for use in uses if re.fullmatch(r"#\w+", use.name)}
    selected = [f"#{name.strip().removeprefix('#')}" for name in names] or list(known)
    for name in selected:
        if name not in known:
            raise LayoutError(
                f"the file has no layout {name}",
                accepted=known or ["a file with aliases, such as #blocked = #ttg.blocked<{…}>"],
                hint=did_you_mean(name, known),
            )
    return [known[name] for name in selected]


def table(uses: Sequence[Use]) -> str:
    """Format a table with a row for each layout and tensor shape."""
    if not uses:
        return "The file uses no layouts.\n"
    columns = ("layout", "shape", "per thread", "held by", "in a row", "vectors")
    result = Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in result.columns:
        column.no_wrap = True
    for index in (2, 3):
        result.columns[index].justify = "right"
    for use in uses:
        shapes: dict[tuple[int, ...], list[TensorType]] = {}
        for type_ in use.types:
            shapes.setdefault(type_.shape, []).append(type_)
        name = use.name
        for shape, types in shapes.items():
            result.add_row(Text(name), _shape_text(shape), *_measures(use.encoding, shape, types))
            name = ""
        if not shapes:
            result.add_row(Text(name), "unused")
    console = Console(width=400, color_system=None)
    with console.capture() as captured:
        console.print(result)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _shape_text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _measures(
    encoding: Encoding, shape: tuple[int, ...], types: Sequence[TensorType]
) -> tuple[str, ...]:
    """Format the cells after the shape; the reason if the layout does not fit the shape."""
    try:
        layout = encoding.linear(shape)
    except LayoutError as error:
        return ("", "", error.message)
    copies = f"{1 << layout.in_bits - layout.rank} ×"
    dim = next((name for name in ("register", "offset") if name in layout.in_dims), "")
    if not dim:
        return ("", copies)
    run, along = longest_run(layout, dim)
    row = f"{run} along dim{along}" if run > 1 else "1"
    if dim == "offset":
        return ("", copies, row)
    vectors = dict.fromkeys(f"{_vector(run, type_)} × {type_.element}" for type_ in types)
    return (str(layout.in_dims["register"]), copies, row, ", ".join(vectors))


def _vector(run: int, type_: TensorType) -> int:
    # In memory an i1 is a byte.
    return min(run, max(1, _MAX_ACCESS_BITS // max(type_.bits, 8)))


def longest_run(layout: LinearLayout, dim: str) -> tuple[int, int]:
    """Find the longest contiguous run that the values of `dim` cover, and its dimension.

    The order of registers does not matter, since they can be renamed. Offsets count in order, so a
    swizzle of vectors limits the run to a vector. Of equal runs, that of the last dimension counts.
    """
    vectors = [tuple(vector) for vector in layout.bases[dim]]
    rank = len(layout.out_dims)
    longest = (1, max(rank - 1, 0))
    for d in range(rank):
        bits = 0
        while tuple(1 << bits if i == d else 0 for i in range(rank)) in vectors:
            bits += 1
        if dim == "offset":
            while bits and not _in_order(vectors, bits, d):
                bits -= 1
        longest = max(longest, (1 << bits, d))
    return longest


def _in_order(vectors: Sequence[tuple[int, ...]], bits: int, d: int) -> bool:
    """Check whether the first vectors count up along `d` and the others leave those bits alone."""
    first = all(vectors[bit][d] == 1 << bit for bit in range(bits))
    return first and not any(vector[d] & (1 << bits) - 1 for vector in vectors[bits:])
