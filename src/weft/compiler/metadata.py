"""The metadata of a compiled kernel: name, target, options, shared memory."""

from __future__ import annotations

from msgspec import Struct

from weft.compiler.options import CompileOptions
from weft.targets import Target

__all__ = ["KernelMetadata"]


class KernelMetadata(Struct, frozen=True):
    """The metadata of a compiled kernel, under Triton's names.

    Attributes:
        name: The kernel's symbol.
        target: "hip:gfx942".
        backend: "cuda", "hip" or "cpu".
        arch: Compute capability (90) or architecture ("gfx942").
        warp_size: Lanes of a warp.
        num_warps: Warps of a block.
        num_ctas: Blocks of a cluster.
        num_stages: Depth of the software pipeline.
        options: All compile options.
        signature: One-line form; "" for IR from a file.
        hash: Digest of source, signature, target and options; the same in every process.
        shared: Bytes of a block's shared memory; None if the kernel has no TTGIR, or has an
            operation that cannot be lowered.
    """

    name: str
    target: str
    backend: str
    arch: str | int
    warp_size: int
    num_warps: int
    num_ctas: int
    num_stages: int
    options: CompileOptions
    signature: str
    hash: str
    shared: int | None = None

    @classmethod
    def of(
        cls,
        name: str,
        chip: Target,
        options: CompileOptions,
        signature: str,
        digest: str,
        shared: int | None = None,
    ) -> KernelMetadata:
        """Collect the metadata of a kernel that was compiled for a chip with some options."""
        return cls(
            name=name,
            target=str(chip),
            backend=chip.backend,
            arch=chip.arch,
            warp_size=chip.warp_size,
            num_warps=options.num_warps,
            num_ctas=options.num_ctas,
            num_stages=options.num_stages,
            options=options,
            signature=signature,
            hash=digest,
            shared=shared,
        )
