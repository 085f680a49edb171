"""Every encoding that Triton 3.7.1 knows, by its name in IR text.

`ENCODINGS["blocked"]` is BlockedEncoding; the name stands after `#ttg.`, `#ttng.` or `#gluon.`.
"""

from __future__ import annotations

from weft.layouts.encodings.base import Encoding
from weft.layouts.encodings.blocked import BlockedEncoding
from weft.layouts.encodings.derived import DotOperandEncoding, SliceEncoding
from weft.layouts.encodings.linear import LinearEncoding
from weft.layouts.encodings.mma import AmdMfmaEncoding, AmdWmmaEncoding, NvidiaMmaEncoding
from weft.layouts.encodings.shared import (
    AmdRotatingSharedEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.encodings.tensor_memory import TensorMemoryEncoding, TensorMemoryScalesEncoding
from weft.layouts.encodings.unresolved import AutoEncoding, CoalescedEncoding

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
    "NvidiaMmaEncoding",
    "NvmmaSharedEncoding",
    "PaddedSharedEncoding",
    "SharedLinearEncoding",
    "SliceEncoding",
    "SwizzledSharedEncoding",
    "TensorMemoryEncoding",
    "TensorMemoryScalesEncoding",
]

ENCODINGS: dict[str, type[Encoding]] = {
    cls.mnemonic: cls
    for cls in (
        BlockedEncoding,
        SliceEncoding,
        DotOperandEncoding,
        NvidiaMmaEncoding,
        AmdMfmaEncoding,
        AmdWmmaEncoding,
        LinearEncoding,
        SwizzledSharedEncoding,
        PaddedSharedEncoding,
        AmdRotatingSharedEncoding,
        NvmmaSharedEncoding,
        SharedLinearEncoding,
        TensorMemoryEncoding,
        TensorMemoryScalesEncoding,
        AutoEncoding,
        CoalescedEncoding,
    )
}
