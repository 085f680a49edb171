"""Pure mathematics of tensor layouts over GF(2): nothing of IR is needed to use it.

from weft.layouts import parse
parse("#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>")
"""

from __future__ import annotations

from weft.layouts.default import default_blocked
from weft.layouts.encodings import (
    ENCODINGS,
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    AutoEncoding,
    BlockedEncoding,
    CoalescedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)
from weft.layouts.linear import LinearLayout
from weft.layouts.text import parse, parse_prefix

__all__ = [
    "ENCODINGS",
    "AmdMfmaEncoding",
    "AmdRotatingSharedEncoding",
    "AmdWmmaEncoding",
    "AutoEncoding",
    "BlockedEncoding",
    "CoalescedEncoding",
    "DotOperandEncoding",
    "Encoding",
    "LinearEncoding",
    "LinearLayout",
    "NvidiaMmaEncoding",
    "NvmmaSharedEncoding",
    "PaddedSharedEncoding",
    "SharedLinearEncoding",
    "SliceEncoding",
    "SwizzledSharedEncoding",
    "TensorMemoryEncoding",
    "TensorMemoryScalesEncoding",
    "default_blocked",
    "parse",
    "parse_prefix",
]
