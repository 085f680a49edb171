"""Collect the layouts of a module as linear layouts that the page draws."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from weft.errors import LayoutError
from weft.explain.labels import Labels, element_bits
from weft.explain.optimum_model import LayoutOptimum
from weft.ir import types
from weft.ir.rewriting import walk
from weft.layouts import Encoding, LinearLayout, parse
from weft.report.model import LayoutPicture

__all__ = ["LayoutPictures", "optimum_pictures"]

_Key = tuple[str, tuple[int, ...]]


class LayoutPictures:
    """The distinct layouts of a module's tensors and buffers, by layout and shape.

    Args:
        module: The module.
        labels: Its names.
    """

    def __init__(self, module: ModuleOp, labels: Labels) -> None:
        self._labels = labels
        self._numbers: dict[_Key, int] = {}
        pictures: list[LayoutPicture] = []
        names: list[list[str]] = []
        for value in _values(module):
            encoding = _encoding(value.type)
            if encoding is None:
                continue
            key = str(encoding), types.shape(value.type)
            if key not in self._numbers:
                picture = self._picture(encoding, value.type)
                if picture is None:
                    continue
                self._numbers[key] = len(pictures)
                pictures.append(picture)
                names.append([])
            names[self._numbers[key]].append(labels.value(value))
        self.pictures = tuple(
            LayoutPicture(
                each.name,
                each.encoding,
                each.shape,
                each.element_bits,
                each.bases,
                tuple(dict.fromkeys(values)),
            )
            for each, values in zip(pictures, names, strict=True)
        )

    def number(self, encoding: Encoding, shape: tuple[int, ...]) -> int | None:
        """Get the index of a layout; None if it is not drawn."""
        return self._numbers.get((str(encoding), shape))

    def _picture(self, encoding: Encoding, type_: Attribute) -> LayoutPicture | None:
        linear = _linear(encoding, types.shape(type_))
        if linear is None:
            return None
        name = self._labels.layout_names(encoding)
        return _draw(name, encoding, linear, element_bits(type_), ())


def optimum_pictures(optimum: LayoutOptimum) -> Iterator[LayoutPicture]:
    """Yield the layouts of the operations that differ from the optimum, before and after."""
    texts = dict(optimum.named)
    values: dict[tuple[str, tuple[int, ...], int], list[str]] = {}
    for each in optimum.differences:
        for name in (*each.before, *each.after):
            key = name, each.shape, each.element_bits
            values.setdefault(key, []).append(each.value or each.op)
    for (name, shape, bits), names in values.items():
        encoding = parse(texts[name])
        linear = _linear(encoding, shape)
        if linear is not None:
            yield _draw(name, encoding, linear, bits, tuple(dict.fromkeys(names)))


def _linear(encoding: Encoding, shape: tuple[int, ...]) -> LinearLayout | None:
    """Convert a layout; None for tensor memory, or a shape that the layout does not cover."""
    dims = [f"dim{dim}" for dim in range(len(shape))]
    try:
        return encoding.linear(shape).transpose_outs(dims)
    except LayoutError:
        return None


def _draw(
    name: str, encoding: Encoding, linear: LinearLayout, bits: int, values: tuple[str, ...]
) -> LayoutPicture:
    bases = linear.bases.items()
    return LayoutPicture(
        name=name,
        encoding=str(encoding),
        shape=tuple(size for _, size in linear.outs),
        element_bits=bits,
        bases={each: tuple(map(tuple, vectors)) for each, vectors in bases},
        values=values,
    )


def _values(module: ModuleOp) -> Iterator[SSAValue]:
    for op in walk(module):
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def _encoding(type_: Attribute) -> Encoding | None:
    """Get the layout of a tensor or of a buffer in shared memory."""
    if types.is_tensor(type_):
        return types.encoding(type_)
    encoding = getattr(type_, "encoding", None)
    encoding = getattr(encoding, "data", encoding)
    return encoding if isinstance(encoding, Encoding) else None
