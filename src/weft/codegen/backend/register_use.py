"""Read how many registers an AMD kernel uses and spills from its assembly or its object.

    .private_segment_fixed_size: 92      in assembly: metadata at the end
    .sgpr_spill_count: 4                 in an object: the key, then the number in MessagePack

Source: LLVM's AMDGPU usage guide, code object metadata; MessagePack's specification.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["CompileRequest", "RegisterUse", "register_use"]

_MAX_FIXINT = 0x7F  # MessagePack encodes numbers up to this one as a single byte
_UINT_BYTES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}


class RegisterUse(NamedTuple):
    """Registers of a kernel.

    Attributes:
        scratch: bytes of scratch memory per thread, for vector registers that are spilled.
        scalars: scalar registers that are kept in lanes of vector registers.
        vectors: vector registers.
    """

    scratch: int
    scalars: int
    vectors: int

    @property
    def spills(self) -> bool:
        """Whether registers are spilled."""
        return bool(self.scratch or self.scalars)


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


def register_use(code: bytes) -> RegisterUse:
    """Read the registers of a kernel from AMDGCN assembly or an object.

    Returns: zeros if the code has no such metadata, as PTX has none.
    """
    return RegisterUse(
        sum(_metadata(code, b".private_segment_fixed_size")),
        sum(_metadata(code, b".sgpr_spill_count")),
        max(_metadata(code, b".vgpr_count"), default=0),
    )


def _metadata(code: bytes, key: bytes) -> list[int]:
    if key not in code:
        return []
    if code.startswith(b"\x7fELF"):
        return [_unsigned(code, match.end()) for match in re.finditer(re.escape(key), code)]
    return [int(number) for number in re.findall(re.escape(key) + rb":\s+(\d+)", code)]


def _unsigned(code: bytes, start: int) -> int:
    """Decode MessagePack's unsigned integer at an offset; 0 if there is none."""
    first = code[start]
    if first <= _MAX_FIXINT:
        return first
    size = _UINT_BYTES.get(first, 0)
    return int.from_bytes(code[start + 1 : start + 1 + size], "big")
