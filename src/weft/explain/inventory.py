"""List the layouts of a TTGIR module and its conversions, without reasons.

#blocked  = #ttg.blocked<{sizePerThread = [1, 4], …}>     12 tensors, of 64x32xf32, 64x32xf16
line 57   = ttg.convert_layout 64x32xf32: #blocked → #blocked1, 8 KiB, in a loop
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from weft.errors import Location
from weft.explain.labels import Labels, LayoutNames, loop_depth, shape_text, tensor_bytes
from weft.explain.layout_history import values_with_layouts
from weft.ir.rewriting import walk
from weft.ir.ttg import ConvertLayoutOp
from weft.layouts import Encoding

__all__ = ["Conversion", "Inventory", "Launch", "LayoutUse", "inventory", "launch_attributes"]


@dataclass(frozen=True, slots=True)
class LayoutUse:
    """One encoding and the tensors that have it.

    Attributes:
        name: Its alias in the IR's text, or a description with the alias of its parent.
        encoding: The encoding.
        tensors: The number of values.
        shapes: The distinct shapes with element types: "64x32xf16".
    """

    name: str
    encoding: Encoding
    tensors: int
    shapes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversion:
    """One convert_layout.

    Attributes:
        location: The line of the kernel, with its text if the file can be read.
        shape: Shape and element type: "64x32xf16".
        before: The name of the operand's layout.
        after: The name of the result's layout.
        size_bytes: The size of the whole tensor.
        loop_depth: The number of enclosing loops.
    """

    location: Location | None
    shape: str
    before: str
    after: str
    size_bytes: int
    loop_depth: int


@dataclass(frozen=True, slots=True)
class Launch:
    """What the attributes of a module say of its kernel.

    Attributes:
        kernel: The name of the public function.
        target: The name of the target: "cuda:90".
        num_warps: The warps of a program.
        lanes: The threads of a warp.
    """

    kernel: str
    target: str
    num_warps: int
    lanes: int


@dataclass(frozen=True, slots=True)
class Inventory:
    """The layouts and conversions of one module.

    Attributes:
        launch: The kernel, the target and the numbers of warps and lanes.
        layouts: The layouts: aliases first, in the order of their numbers.
        conversions: The conversions, in the order of the IR.
    """

    launch: Launch
    layouts: tuple[LayoutUse, ...]
    conversions: tuple[Conversion, ...]

    @property
    def converted_bytes(self) -> int:
        """The bytes of all conversions, each counted once."""
        return sum(conversion.size_bytes for conversion in self.conversions)

    @property
    def in_loops(self) -> int:
        """The number of conversions inside a loop."""
        return sum(conversion.loop_depth > 0 for conversion in self.conversions)


def inventory(module: ModuleOp) -> Inventory:
    """List the layouts and conversions of a module; both are empty for TTIR."""
    labels = Labels(module)
    conversions = [op for op in walk(module) if isinstance(op, ConvertLayoutOp)]
    return Inventory(
        launch=launch_attributes(module),
        layouts=tuple(_layout_uses(module, labels.layout_names)),
        conversions=tuple(_conversion(op, labels) for op in conversions),
    )


def _layout_uses(module: ModuleOp, names: LayoutNames) -> Iterator[LayoutUse]:
    types_by_encoding: dict[Encoding, list[Attribute]] = {}
    for value, encoding in values_with_layouts(module):
        types_by_encoding.setdefault(encoding, []).append(value.type)
    for encoding in sorted(types_by_encoding, key=lambda each: _sort_key(names(each))):
        tensor_types = types_by_encoding[encoding]
        shapes = tuple(dict.fromkeys(map(shape_text, tensor_types)))
        yield LayoutUse(names(encoding), encoding, len(tensor_types), shapes)


def _sort_key(name: str) -> tuple[bool, int, str]:
    """Order aliases by number ("#blocked2" before "#blocked10"), then descriptions."""
    digits = name.lstrip("#abcdefghijklmnopqrstuvwxyz_")
    is_alias = name.startswith("#")
    return (not is_alias, int(digits) if is_alias and digits else 0, name)


def _conversion(op: ConvertLayoutOp, labels: Labels) -> Conversion:
    before, after = op.src.type, op.result.type
    return Conversion(
        location=labels.line(op),
        shape=shape_text(before),
        before=labels.layout(before),
        after=labels.layout(after),
        size_bytes=tensor_bytes(before),
        loop_depth=loop_depth(op),
    )


def launch_attributes(module: ModuleOp) -> Launch:
    """Read the kernel's name, the target and the numbers of warps and lanes of a module."""
    return Launch(
        kernel=_kernel_name(module),
        target=str(getattr(module.attributes.get("ttg.target"), "data", "")),
        num_warps=_integer_attribute(module, "ttg.num-warps"),
        lanes=_integer_attribute(module, "ttg.threads-per-warp"),
    )


def _kernel_name(module: ModuleOp) -> str:
    functions = [op for op in module.body.block.ops if op.name == "tt.func"]
    public = [op for op in functions if _string_attribute(op, "sym_visibility") != "private"]
    return _string_attribute((public or functions)[0], "sym_name") if functions else ""


def _string_attribute(op: Operation, name: str) -> str:
    return str(getattr(op.properties.get(name, op.attributes.get(name)), "data", ""))


def _integer_attribute(module: ModuleOp, name: str) -> int:
    value = getattr(module.attributes.get(name), "value", None)
    return int(getattr(value, "data", 0))
