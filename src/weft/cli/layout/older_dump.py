"""The layouts of a dump of the triton_gpu dialect, which is read for its layouts alone.

Its operations are those of another release and no IR of now, but its types say all that is asked:

    #shared = #triton_gpu.shared<{vec = 8, …, hasLeadingOffset = false}>
    %1 = triton_gpu.local_load %0 : !tt.memdesc<64x32xf16, #shared> -> tensor<64x32xf16, #blocked>
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.cli.layout.tensor_type import TensorType, read_type
from weft.errors import LayoutError
from weft.layouts import Encoding, parse_prefix

__all__ = ["aliases_of", "is_older", "scan"]

_OLDER = re.compile(r"\btriton_(?:nvidia_)?gpu\.")
_ALIAS = re.compile(r"^(#\w+) = (?=#(?:triton_gpu|triton_nvidia_gpu|ttg|ttng)\.\w+<)", re.MULTILINE)
_TYPE = re.compile(
    r"(?:tensor|memdesc)<(?P<dims>(?:\d+x)+)(?:!tt\.ptr<(?P<to>\w+)[^>]*>|(?P<element>\w+)), (?=#)"
)
_NO_LAYOUT = re.compile(r"#(?:triton_gpu|ttg|ttng|triton_nvidia_gpu)\.(?:shared_memory|tensor_mem)")


def is_older(text: str) -> bool:
    """Return whether a text names the dialect of then."""
    return _OLDER.search(text) is not None


def aliases_of(text: str) -> dict[str, Encoding]:
    """Return the encodings that have a name in the text.

    Raises: LayoutError where one cannot be read.
    """
    found: dict[str, Encoding] = {}
    for match in _ALIAS.finditer(text):
        if not _NO_LAYOUT.match(text, match.end()):
            found[match[1]], _ = parse_prefix(text, match.end(), found)
    return found


def scan(text: str) -> Iterator[tuple[Encoding, TensorType]]:
    """Yield the encoding and the type of each tensor and each piece of memory in the text.

    Raises: LayoutError where an encoding cannot be read, or does not fit its type.
    """
    aliases = aliases_of(text)
    for match in _TYPE.finditer(text):
        if _NO_LAYOUT.match(text, match.end()):
            continue
        encoding, _ = parse_prefix(text, match.end(), aliases)
        dims = match["dims"].rstrip("x").split("x")
        if len(dims) < encoding.rank:
            raise LayoutError(
                f"a tensor of {encoding.rank} dimensions has this encoding",
                found=match[0] + str(encoding),
            )
        # A ring of buffers has a leading dimension that its encoding knows nothing of.
        kept = "x".join(dims[len(dims) - encoding.rank :])
        yield encoding, read_type(f"{kept}x{match['to'] or match['element']}")
