"""A target under Triton's names."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GPUTarget"]


@dataclass(frozen=True)
class GPUTarget:
    """A target under Triton's names.

    Attributes:
        backend: "cuda", "hip" or "cpu".
        arch: Compute capability (90) or architecture ("gfx942").
        warp_size: Lanes of a warp.
    """

    backend: str
    arch: int | str
    warp_size: int

    def __str__(self) -> str:
        """Format it as `weft.compile` takes it."""
        return self.backend if self.backend == "cpu" else f"{self.backend}:{self.arch}"
