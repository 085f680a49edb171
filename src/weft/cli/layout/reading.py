"""Parse a layout: Triton's attribute, a legacy attribute, bases, or Python.

#ttg.blocked<{sizePerThread = [1, 4], …}>              Triton's attribute
#triton_gpu.blocked<{…}>, #shared<{…}>                 the attribute before Triton 3.2
{register = [[0, 1]], lane = [[1, 0], [2, 0]]}         basis vectors; out dimensions dim0, dim1 …
layouts.BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from weft.cli.layout.expression import evaluate
from weft.cli.layout.tensor_type import TensorType
from weft.errors import LayoutError
from weft.layouts import Encoding, LinearLayout, PaddedSharedEncoding, SharedLinearEncoding, parse
from weft.layouts.drawing.legacy_text import is_legacy, parse_legacy

_KEY = re.compile(r"([A-Za-z_]\w*)\s*[=:]|'([^']*)'\s*:")


@dataclass(frozen=True, slots=True)
class Named:
    """A layout with its text.

    Attributes:
        text: The text.
        encoding: An encoding, which has a layout for each shape; None for a layout.
        layout: The layout, if it is not an encoding.
    """

    text: str
    encoding: Encoding | None = None
    layout: LinearLayout | None = None

    def linear(self, type_: TensorType | None) -> LinearLayout:
        """Compute the layout of a tensor of a type.

        Raises:
            LayoutError: The encoding needs a type, or the type does not fit the layout.
        """
        if self.encoding is not None:
            return self.encoding.linear(self._shape(type_))
        assert self.layout is not None
        shape = tuple(self.layout.out_dims.values())
        if type_ is not None and type_.shape != shape:
            raise LayoutError(
                "the layout is for another shape",
                found=str(type_),
                accepted=["x".join(map(str, shape))],
            )
        return self.layout

    def _shape(self, type_: TensorType | None) -> tuple[int, ...]:
        if type_ is not None:
            return type_.shape
        if isinstance(self.encoding, PaddedSharedEncoding):
            return self.encoding.shape
        if isinstance(self.encoding, SharedLinearEncoding):
            vectors = (*self.encoding.offset, *self.encoding.block)
            entries = zip(*vectors, strict=True)
            return tuple(1 << max(e.bit_length() for e in column) for column in entries)
        raise LayoutError(
            f"{self.text.partition('<')[0]} needs the tensor's type",
            accepted=["-t 'tensor<16x16xf16>'"],
        )


def read_layout(text: str, type_: TensorType | None = None) -> Named:
    """Parse a layout in any of the four forms.

    Args:
        text: The text.
        type_: The tensor's type, which determines the sizes of the out dimensions of bases.

    Raises:
        LayoutError: A syntax error, with its location.
    """
    text = text.strip()
    if text.startswith("{"):
        return _named(_bases(text, type_))
    if text.startswith(("#ttg.", "#ttng.", "#gluon.")) or (
        text.startswith("#") and not is_legacy(text)
    ):
        return _named(parse(text))
    if text.startswith("#"):
        legacy = parse_legacy(text)
        return Named(legacy.text, encoding=legacy.encoding)
    if not text:
        raise LayoutError("no layout was given", accepted=["#ttg.blocked<{…}>"])
    return _named(evaluate(text))


def _named(layout: Encoding | LinearLayout) -> Named:
    if isinstance(layout, Encoding):
        return Named(str(layout), encoding=layout)
    return Named(bases_text(layout), layout=layout)


def bases_text(layout: LinearLayout) -> str:
    """Format the bases as `read_layout` parses them."""
    pairs = (f"{name} = {vectors}" for name, vectors in layout.bases.items())
    return f"{{{', '.join(pairs)}}}"


def _bases(text: str, type_: TensorType | None) -> LinearLayout:
    try:
        bases = json.loads(_KEY.sub(lambda m: f'"{m[1] or m[2]}":', text.replace('"', "'")))
    except json.JSONDecodeError as error:
        raise LayoutError(
            f"cannot read the bases: {error.msg} near character {error.pos + 1}",
            found=text,
            accepted=["{register = [[0, 1]], lane = [[1, 0], [2, 0]]}"],
        ) from None
    for name, vectors in bases.items():
        if not _are_vectors(vectors):
            raise LayoutError(
                f"{name} must be a list of basis vectors",
                found=json.dumps(vectors),
                accepted=["[[0, 1], [0, 2]]"],
            )
    every = [vector for vectors in bases.values() for vector in vectors]
    if not every and type_ is None:
        raise LayoutError("bases without a vector need the tensor's type", accepted=["-t '1x1'"])
    rank = len(every[0]) if every else len(type_.shape) if type_ else 0
    names = [f"dim{d}" for d in range(rank)]
    if type_ is None:
        return LinearLayout.from_bases(bases, names, surjective=False)
    if len(type_.shape) != rank:
        raise LayoutError(
            f"the basis vectors have {rank} entries, and the tensor another rank",
            found=str(type_),
        )
    return LinearLayout.from_bases(
        bases, dict(zip(names, type_.shape, strict=True)), surjective=False
    )


def _are_vectors(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, list) and all(type(entry) is int for entry in row) for row in value
    )
