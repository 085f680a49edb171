"""List the layouts of a TTGIR module, and every conversion between two of them.

#blocked  = #ttg.blocked<{sizePerThread = [1, 4], …}>     12 tensors, of 64x32xf32, 64x32xf16
line 57   = ttg.convert_layout 64x32xf32: #blocked → #blocked1, 8 KiB, in a loop
"""

from __future__ import annotations

import linecache
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from weft.errors import Location
from weft.ir import locations, types
from weft.ir.rewriting import ancestors, walk
from weft.ir.text import print_module
from weft.ir.ttg import ConvertLayoutOp
from weft.layouts import Encoding

_LOOPS = ("scf.for", "scf.while")
_KEYS = {"opIdx": ""}  # keys that go without saying
_LIBRARIES = ("/weft/language/", "/triton/language/")


@dataclass(frozen=True, slots=True)
class LayoutUse:
    """One encoding and the tensors that have it.

    Args: name: its alias in the IR's text, or a description built on its parent's alias.
          encoding: itself.  tensors: how many values.  shapes: "64x32xf16", …, each once.
    """

    name: str
    encoding: Encoding
    tensors: int
    shapes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversion:
    """One convert_layout.

    Args: location: the line of the kernel it comes from, with its text where it can be read.
          shape: "64x32xf16".  before, after: names of the layouts, as in LayoutUse.
          size_bytes: of the whole tensor, which is what moves if all of it moves.
          loop_depth: how many loops it stands in.
    """

    location: Location | None
    shape: str
    before: str
    after: str
    size_bytes: int
    loop_depth: int


@dataclass(frozen=True)
class Inventory:
    """The layouts and conversions of one module.

    Args: kernel: name of its public function.  target, num_warps, lanes: of the module.
    """

    kernel: str
    target: str
    num_warps: int
    lanes: int
    layouts: tuple[LayoutUse, ...]
    conversions: tuple[Conversion, ...]

    @cached_property
    def converted_bytes(self) -> int:
        """Return the bytes of all conversions, each counted once."""
        return sum(conversion.size_bytes for conversion in self.conversions)

    @cached_property
    def in_loops(self) -> int:
        """Return the number of conversions that stand in a loop."""
        return sum(conversion.loop_depth > 0 for conversion in self.conversions)


def inventory(module: ModuleOp) -> Inventory:
    """Read a module; one without layouts gives an inventory without entries."""
    names = LayoutNames(module)
    conversions = [op for op in walk(module) if isinstance(op, ConvertLayoutOp)]
    return Inventory(
        **launch_of(module),
        layouts=tuple(_layouts(module, names)),
        conversions=tuple(_conversion(op, names) for op in conversions),
    )


class LayoutNames:
    """Names of encodings: the aliases that the module's text has, or words over them."""

    def __init__(self, module: ModuleOp) -> None:
        self._aliases: dict[str, str] = {}  # by the text that they stand for
        for line in print_module(module).splitlines():
            alias, equals, text = line.partition(" = ")
            if not equals or not alias.startswith("#"):
                break
            self._aliases[text] = alias

    def __call__(self, encoding: Encoding) -> str:
        """Return the name of an encoding."""
        alias = self._aliases.get(str(encoding))
        if alias is not None:
            return alias
        words = [
            f"of {self(value)}" if isinstance(value, Encoding) else f"{_KEYS.get(key, key)} {value}"
            for key, value in encoding.fields()
        ]
        return " ".join([encoding.mnemonic, *map(str.strip, words)])


def _layouts(module: ModuleOp, names: LayoutNames) -> Iterator[LayoutUse]:
    found: dict[Encoding, list[Attribute]] = {}
    for type_ in _value_types(module):
        encoding = types.encoding(type_) if types.is_tensor(type_) else None
        if encoding is not None:
            found.setdefault(encoding, []).append(type_)
    for encoding in sorted(found, key=lambda each: _order(names(each))):
        shapes = dict.fromkeys(map(shape_text, found[encoding]))
        yield LayoutUse(names(encoding), encoding, len(found[encoding]), tuple(shapes))


def _order(name: str) -> tuple[bool, int, str]:
    """Put aliases first, in the order of their numbers; then the others."""
    digits = name.lstrip("#abcdefghijklmnopqrstuvwxyz_")
    aliased = name.startswith("#")
    return (not aliased, int(digits) if aliased and digits else 0, name)


def _value_types(module: ModuleOp) -> Iterator[Attribute]:
    for op in walk(module):
        yield from (result.type for result in op.results)
        for region in op.regions:
            yield from (argument.type for block in region.blocks for argument in block.args)


def _conversion(op: ConvertLayoutOp, names: LayoutNames) -> Conversion:
    before, after = op.src.type, op.result.type
    bits = 64 if types.is_pointer(types.element(before)) else types.bit_width(types.element(before))
    return Conversion(
        location=kernel_line(op),
        shape=shape_text(before),
        before=_name_of(before, names),
        after=_name_of(after, names),
        size_bytes=math.prod(types.shape(before)) * max(bits, 8) // 8,
        loop_depth=loop_depth(op),
    )


def loop_depth(op: Operation) -> int:
    """Return how many loops an operation stands in."""
    return sum(outer.name in _LOOPS for outer in ancestors(op))


def _name_of(type_: Attribute, names: LayoutNames) -> str:
    encoding = types.encoding(type_)
    return names(encoding) if encoding is not None else "no layout"


def shape_text(type_: Attribute) -> str:
    """Return "64x32xf16"."""
    element = str(types.element(type_))
    return "x".join([*map(str, types.shape(type_)), element])


def launch_of(module: ModuleOp) -> dict[str, Any]:
    """Return what a module says of itself: kernel, target, num_warps and lanes."""
    return {
        "kernel": _kernel(module),
        "target": str(getattr(module.attributes.get("ttg.target"), "data", "")),
        "num_warps": _number(module, "ttg.num-warps"),
        "lanes": _number(module, "ttg.threads-per-warp"),
    }


def _kernel(module: ModuleOp) -> str:
    functions = [op for op in module.body.block.ops if op.name == "tt.func"]
    public = [op for op in functions if _text(op, "sym_visibility") != "private"]
    return _text((public or functions)[0], "sym_name") if functions else ""


def _text(op: Operation, name: str) -> str:
    return str(getattr(op.properties.get(name, op.attributes.get(name)), "data", ""))


def _number(module: ModuleOp, name: str) -> int:
    value = getattr(module.attributes.get(name), "value", None)
    return int(getattr(value, "data", 0))


def kernel_line(op: Operation) -> Location | None:
    """Return the line of the kernel that an operation comes from, with its text.

    A line of the standard library gives way to the line that called it.
    """
    found = list(_positions(op.location))
    if not found:
        return None
    place = next((each for each in found if not _in_library(each.file)), found[0])
    text = linecache.getline(place.file, place.line).rstrip("\n")
    return Location(place.file, place.line, source=text)


def _in_library(file: str) -> bool:
    return any(library in file for library in _LIBRARIES)


def _positions(location: Attribute) -> Iterator[Location]:
    """Yield the positions of a location from the innermost call outwards."""
    if isinstance(location, locations.CallSiteLoc):
        yield from _positions(location.callee)
        yield from _positions(location.caller)
    elif isinstance(location, locations.NameLoc):
        yield from _positions(location.location)
    elif (place := locations.position(location)) is not None:
        yield place


def by_line(
    conversions: Iterable[Conversion],
) -> list[tuple[Location | None, Sequence[Conversion]]]:
    """Group conversions by the kernel line they come from, in the order of the lines."""
    groups: dict[tuple[str, int], list[Conversion]] = {}
    for conversion in conversions:
        place = conversion.location
        groups.setdefault((place.file, place.line) if place else ("", 0), []).append(conversion)
    return [(group[0].location, group) for _, group in sorted(groups.items())]
