"""Read how much an AMD kernel spills from its assembly or its object.

    .private_segment_fixed_size: 92      in assembly: metadata at the end
    .sgpr_spill_count: 4                 in an object: the key, then the number in MessagePack

Source: LLVM's AMDGPU usage guide, code object metadata; MessagePack's specification.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["CompileRequest", "Spills", "spills_of"]

_MAX_FIXINT = 0x7F  # MessagePack encodes numbers up to this one as a single byte
_UINT_BYTES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}


class Spills(NamedTuple):
    """Spilled registers of a kernel, ordered by cost.

    Attributes:
        scratch: bytes of scratch memory per thread.
        scalars: scalar registers that are kept in lanes of vector registers.
    """

    scratch: int
    scalars: int


class CompileRequest(NamedTuple):
    """One compilation of a module by the LLVM worker.

    Attributes:
        text: the module, for the target's usual passes; None to start from the module that these
            passes produced for the previous request.
        passes: LLVM passes to run in addition.
        replacement: (old, new) text to replace in the previous module, if `text` is None.
    """

    text: str | None = None
    passes: tuple[str, ...] = ()
    replacement: tuple[str, str] = ("", "")


def spills_of(code: bytes) -> Spills:
    """Read the spills of a kernel from AMDGCN assembly or an object.

    Returns: the spills; zeros if the code has no such metadata, as PTX has none.
    """
    # Scratch memory costs more than lanes, and the tuple is compared in this order.
    return Spills(
        _metadata(code, b".private_segment_fixed_size"), _metadata(code, b".sgpr_spill_count")
    )


def _metadata(code: bytes, key: bytes) -> int:
    if key not in code:
        return 0
    if code.startswith(b"\x7fELF"):
        return sum(_unsigned(code, match.end()) for match in re.finditer(re.escape(key), code))
    return sum(map(int, re.findall(re.escape(key) + rb":\s+(\d+)", code)))


def _unsigned(code: bytes, start: int) -> int:
    """Decode MessagePack's unsigned integer at an offset; 0 if there is none."""
    first = code[start]
    if first <= _MAX_FIXINT:
        return first
    size = _UINT_BYTES.get(first, 0)
    return int.from_bytes(code[start + 1 : start + 1 + size], "big")
