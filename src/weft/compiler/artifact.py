"""A kernel compiled for a kind of GPU: the output of each stage, and how to launch it.

An artifact is independent of a device: it is loaded on each GPU of its kind and stored in the disk
cache (cache.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins

from weft.compiler.cache import CacheEntry
from weft.compiler.machine_code import BINARY_STAGES, disassemble_cubin
from weft.compiler.options import CompileOptions

__all__ = ["Artifact", "KernelInfo", "StageOutputs", "TensorMapInfo"]

# What a driver loads, in the order of preference.
_IMAGE_STAGES = ("hsaco", "cubin", "ptx")


class TensorMapInfo(NamedTuple):
    """The parts of a TMA descriptor that the kernel's layouts determine.

    Attributes:
        box: Elements that one copy transfers, per dimension.
        swizzle_bytes: Width of the swizzled rows in shared memory; 0 without swizzling.
        element: Element type: "f16", "u8", ….
    """

    box: tuple[int, ...]
    swizzle_bytes: int
    element: str


class KernelInfo(Struct, frozen=True):
    """How a compiled kernel is launched, and what it was compiled for.

    Attributes:
        name: Symbol of the entry.
        target: "cuda:90".
        signature: One-line form.
        formats: `struct` format of each argument of the entry.
        threads: Threads of a block.
        shared_bytes: Dynamic shared memory of a block.
        options: Compile options.
        tensor_maps: The descriptors that the entry takes as tensor maps, in argument order.
        scratch_bytes: Global memory that each program needs; its address is one more argument.
    """

    name: str
    target: str
    signature: str
    formats: tuple[str, ...]
    threads: int
    shared_bytes: int
    options: CompileOptions
    tensor_maps: tuple[TensorMapInfo, ...] = ()
    scratch_bytes: int = 0


class StageOutputs(Mapping[str, str | bytes]):
    """The output of each stage by name: text for IR and assembly, bytes for a cubin or hsaco.

    "sass" is the disassembled cubin; it is no stage.

    Args:
        blobs: The encoded outputs.
    """

    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        self._blobs = blobs

    def __getitem__(self, stage: str) -> Any:  # a caller knows which stages are text
        if stage == "sass" and "cubin" in self._blobs:
            return disassemble_cubin(self._blobs["cubin"])
        if stage not in self._blobs:
            raise KeyError(f"Unknown key: '{stage}'; the stages are {', '.join(self._blobs)}")
        return self._blobs[stage] if stage in BINARY_STAGES else self._blobs[stage].decode()

    def __contains__(self, stage: object) -> bool:
        return stage in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A compiled kernel.

    Attributes:
        hash: Digest of everything that the code depends on; its key in the disk cache.
        info: How it is launched.
        blobs: The output of each stage, by name.
    """

    hash: str
    info: KernelInfo
    blobs: Mapping[str, bytes] = field(repr=False)

    @property
    def image(self) -> bytes:
        """The image that a driver loads: the hsaco, or the cubin if there is one, else PTX."""
        return next(self.blobs[stage] for stage in _IMAGE_STAGES if stage in self.blobs)

    def cache_metadata(self) -> dict[str, object]:
        """Convert the kernel's info to types that JSON has."""
        return to_builtins(self.info)

    @staticmethod
    def from_cache(key: str, entry: CacheEntry) -> Artifact:
        """Restore an artifact from an entry of the disk cache."""
        fields = dict(entry.metadata)
        options = fields["options"]
        options["extern_libs"] = tuple(map(tuple, options["extern_libs"]))
        fields["options"] = CompileOptions(**options)
        fields["formats"] = tuple(fields["formats"])
        fields["tensor_maps"] = tuple(
            TensorMapInfo(tuple(box), swizzle_bytes, element)
            for box, swizzle_bytes, element in fields["tensor_maps"]
        )
        return Artifact(key, KernelInfo(**fields), entry.blobs)
