"""The layouts of a file of IR, and what each means for a tensor that has it.

per thread   registers that hold one thread's elements, repeated ones included
held by      how many places hold each element
in a row     the longest run of neighbours that one thread holds, or that lie so in memory
vectors      of these, what one access of at most 128 bits moves; of pointers, what they point to
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from weft.cli.layout import older_dump
from weft.cli.layout.tensor_type import TensorType
from weft.cli.report import read as read_file
from weft.errors import LayoutError, did_you_mean
from weft.layouts import ENCODINGS, Encoding, LinearLayout, parse_prefix
from weft.layouts.legacy_encodings import NAMES

_ALIAS = re.compile(r"^(#\w+) = (?=#(\w+)\.(\w+))", re.MULTILINE)
_MOST_BITS = 128


@dataclass(frozen=True, slots=True)
class Use:
    """An encoding of a file, its name there, and the types of the values that have it."""

    name: str
    encoding: Encoding
    types: tuple[TensorType, ...]


def read(file: str) -> list[Use]:
    """Return the layouts of a file: its aliases in their order, then those without a name.

    Raises: ParseError where the file is no IR, of now or of the dialect triton_gpu; WeftError
    where it cannot be read.
    """
    from weft.ir.text import parse_module

    text = read_file(file)
    found: dict[Encoding, dict[TensorType, None]] = {}
    names: dict[Encoding, str] = {}
    if older_dump.is_older(text):
        pairs, aliases = older_dump.scan(text), older_dump.aliases_of(text)
    else:
        pairs = _types(parse_module(text, "<stdin>" if file == "-" else file))
        aliases = _aliases(text)
    for encoding, type_ in pairs:
        found.setdefault(encoding, {})[type_] = None
    for name, encoding in aliases.items():
        names.setdefault(encoding, name)
    order = [*names, *(encoding for encoding in found if encoding not in names)]
    return [
        Use(names.get(each) or each.text(names.get), each, tuple(found.get(each, ())))
        for each in order
    ]


def _aliases(text: str) -> dict[str, Encoding]:
    """Return the encodings that have a name in the text of IR."""
    aliases: dict[str, Encoding] = {}
    for match in _ALIAS.finditer(text):
        cls = ENCODINGS.get(NAMES.get(match[3], match[3]))
        if cls is not None and cls.dialect == match[2]:
            aliases[match[1]], _ = parse_prefix(text, match.end(), aliases)
    return aliases


def _types(module: object) -> Iterator[tuple[Encoding, TensorType]]:
    """Yield the encoding and the type of each value; of memory, the shape that was allocated."""
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
                # A ring of buffers has a leading dimension that its encoding knows nothing of.
                encoding, shape, element = type_.encoding, type_.allocated, type_.element_type
                shape = shape[len(shape) - encoding.rank :] if encoding else shape
            else:
                continue
            if encoding is not None:
                scalar = types.element(element)
                moved = scalar.pointee if types.is_pointer(scalar) else scalar
                yield encoding, TensorType(shape, str(moved), types.bit_width(moved))


def chosen(uses: Sequence[Use], names: Sequence[str]) -> list[Use]:
    """Return the uses of these names, with or without the leading #; all of them for none.

    Raises: LayoutError: no such name in the file.
    """
    known = {use.name: use for use in uses if re.fullmatch(r"#\w+", use.name)}
    wanted = [f"#{name.strip().removeprefix('#')}" for name in names] or list(known)
    for name in wanted:
        if name not in known:
            raise LayoutError(
                f"the file has no layout {name}",
                accepted=known or ["a file with aliases, such as #blocked = #ttg.blocked<{…}>"],
                hint=did_you_mean(name, known),
            )
    return [known[name] for name in wanted]


def table(uses: Sequence[Use]) -> str:
    """Return one line for each layout and each shape of a tensor that has it."""
    if not uses:
        return "The file uses no layouts.\n"
    columns = ("layout", "shape", "per thread", "held by", "in a row", "vectors")
    made = Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in made.columns:
        column.no_wrap = True
    for index in (2, 3):
        made.columns[index].justify = "right"
    for use in uses:
        shapes: dict[tuple[int, ...], list[TensorType]] = {}
        for type_ in use.types:
            shapes.setdefault(type_.shape, []).append(type_)
        name = use.name
        for shape, types in shapes.items():
            made.add_row(Text(name), _by(shape), *_measures(use.encoding, shape, types))
            name = ""
        if not shapes:
            made.add_row(Text(name), "of no value")
    console = Console(width=400, color_system=None)
    with console.capture() as captured:
        console.print(made)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _measures(
    encoding: Encoding, shape: tuple[int, ...], types: Sequence[TensorType]
) -> tuple[str, ...]:
    """Return the cells after the shape; where the layout does not fit it, the reason."""
    try:
        layout = encoding.linear(shape)
    except LayoutError as error:
        return ("", "", error.message)
    held = f"{1 << layout.in_bits - layout.rank} ×"
    dim = next((name for name in ("register", "offset") if name in layout.in_dims), "")
    if not dim:
        return ("", held)
    run, along = longest_run(layout, dim)
    row = f"{run} along dim{along}" if run > 1 else "1"
    if dim == "offset":
        return ("", held, row)
    vectors = dict.fromkeys(f"{_vector(run, type_)} × {type_.element}" for type_ in types)
    return (str(layout.in_dims["register"]), held, row, ", ".join(vectors))


def _vector(run: int, type_: TensorType) -> int:
    # In memory a truth value is a byte.
    return min(run, max(1, _MOST_BITS // max(type_.bits, 8)))


def longest_run(layout: LinearLayout, dim: str) -> tuple[int, int]:
    """Return the longest run of neighbours that the values of `dim` cover, and its dimension.

    The order of registers does not matter, as they may be renamed; offsets are taken in order, and
    a swizzle that exchanges vectors cuts a row into these. Of equal runs the last dimension's is
    told.
    """
    vectors = [tuple(vector) for vector in layout.bases[dim]]
    rank = len(layout.out_dims)
    found = (1, max(rank - 1, 0))
    for d in range(rank):
        bits = 0
        while tuple(1 << bits if i == d else 0 for i in range(rank)) in vectors:
            bits += 1
        if dim == "offset":
            while bits and not _in_order(vectors, bits, d):
                bits -= 1
        found = max(found, (1 << bits, d))
    return found


def _in_order(vectors: Sequence[tuple[int, ...]], bits: int, d: int) -> bool:
    """Return whether the first vectors count up along `d`, and the others leave those bits be."""
    first = all(vectors[bit][d] == 1 << bit for bit in range(bits))
    return first and not any(vector[d] & (1 << bits) - 1 for vector in vectors[bits:])
