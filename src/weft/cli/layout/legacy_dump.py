"""List the layouts of a dump of the triton_gpu dialect (Triton before 3.2).

Its operations cannot be parsed, but its types hold the layouts:

    #shared = #triton_gpu.shared<{vec = 8, …, hasLeadingOffset = false}>
    %1 = triton_gpu.local_load %0 : !tt.memdesc<64x32xf16, #shared> -> tensor<64x32xf16, #blocked>
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.cli.layout.tensor_type import TensorType, read_type
from weft.errors import LayoutError
from weft.layouts import Encoding, parse_prefix

__all__ = ["aliases_of", "is_legacy_dump", "scan"]

_LEGACY = re.compile(r"\btriton_(?:nvidia_)?gpu\.")
_ALIAS = re.compile(r"^(#\w+) = (?=#(?:triton_gpu|triton_nvidia_gpu|ttg|ttng)\.\w+<)", re.MULTILINE)
_TYPE = re.compile(
    r"(?:tensor|memdesc)<(?P<dims>(?:\d+x)+)(?:!tt\.ptr<(?P<to>\w+)[^>]*>|(?P<element>\w+)), (?=#)"
)
_NO_LAYOUT = re.compile(r"#(?:triton_gpu|ttg|ttng|triton_nvidia_gpu)\.(?:shared_memory|tensor_mem)")


def is_legacy_dump(text: str) -> bool:
    """Check whether a text is of the triton_gpu dialect."""
    return _LEGACY.search(text) is not None


def aliases_of(text: str) -> dict[str, Encoding]:
    """Map the aliases of a text to their encodings.

    Raises:
        LayoutError: An encoding cannot be parsed.
    """
    aliases: dict[str, Encoding] = {}
    for match in _ALIAS.finditer(text):
        if not _NO_LAYOUT.match(text, match.end()):
            aliases[match[1]], _ = parse_prefix(text, match.end(), aliases)
    return aliases


def scan(text: str) -> Iterator[tuple[Encoding, TensorType]]:
    """Yield encoding and type of each tensor and memory descriptor in a text.

    Raises:
        LayoutError: An encoding cannot be parsed, or does not fit its type.
    """
    aliases = aliases_of(text)
    for match in _TYPE.finditer(text):
        if _NO_LAYOUT.match(text, match.end()):
            continue
        encoding, _ = parse_prefix(text, match.end(), aliases)
        dims = match["dims"].rstrip("x").split("x")
        if len(dims) < encoding.rank:
            raise LayoutError(
                f"the encoding is for {encoding.rank} dimensions",
                found=match[0] + str(encoding),
            )
        # The encoding of a multi-buffered allocation leaves out the leading dimension.
        shape = "x".join(dims[len(dims) - encoding.rank :])
        yield encoding, read_type(f"{shape}x{match['to'] or match['element']}")
