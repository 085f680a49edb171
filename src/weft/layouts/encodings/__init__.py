"""Every encoding that Triton knows, by its name in IR text.

`ENCODINGS["blocked"]` is BlockedEncoding; in IR text, #ttg., #ttng. or #gluon. precedes the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from weft.layouts.encodings.amd_mfma import AmdMfmaEncoding
from weft.layouts.encodings.amd_wmma import AmdWmmaEncoding
from weft.layouts.encodings.base import Encoding
from weft.layouts.encodings.blocked import BlockedEncoding
from weft.layouts.encodings.dot_operand import DotOperandEncoding
from weft.layouts.encodings.linear import LinearEncoding
from weft.layouts.encodings.nvidia_mma import NvidiaMmaEncoding
from weft.layouts.encodings.nvmma_shared import NvmmaSharedEncoding
from weft.layouts.encodings.padded_shared import PaddedSharedEncoding
from weft.layouts.encodings.partitioned_shared import PartitionedSharedEncoding
from weft.layouts.encodings.shared_linear import SharedLinearEncoding
from weft.layouts.encodings.slice import SliceEncoding
from weft.layouts.encodings.swizzled_shared import (
    AmdRotatingSharedEncoding,
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
    "PartitionedSharedEncoding",
    "SharedLinearEncoding",
    "SliceEncoding",
    "SwizzledSharedEncoding",
    "TensorMemoryEncoding",
    "TensorMemoryScalesEncoding",
]

ENCODINGS: Mapping[str, type[Encoding]] = MappingProxyType(
    {
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
            PartitionedSharedEncoding,
            AmdRotatingSharedEncoding,
            NvmmaSharedEncoding,
            SharedLinearEncoding,
            TensorMemoryEncoding,
            TensorMemoryScalesEncoding,
            AutoEncoding,
            CoalescedEncoding,
        )
    }
)
