"""Collect the layouts of a module as linear layouts that the page draws."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from weft.errors import LayoutError
from weft.explain.labels import Labels, element_bits
from weft.ir import types
from weft.ir.rewriting import walk
from weft.layouts import Encoding
from weft.report.model import LayoutPicture

__all__ = ["LayoutPictures"]

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
        shape = types.shape(type_)
        try:
            linear = encoding.linear(shape)
        except LayoutError:
            return None  # tensor memory, or a shape that the layout does not cover
        return LayoutPicture(
            name=self._labels.layout_names(encoding),
            encoding=str(encoding),
            shape=shape,
            element_bits=element_bits(type_),
            bases={
                name: tuple(map(tuple, vectors))
                for name, vectors in linear.transpose_outs(
                    [f"dim{dim}" for dim in range(len(shape))]
                ).bases.items()
            },
            values=(),
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
