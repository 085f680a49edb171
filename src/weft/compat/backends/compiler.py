"""`triton.backends.compiler`: the name of a target."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GPUTarget"]


@dataclass(frozen=True, slots=True)
class GPUTarget:
    """What kernels are compiled for, under Triton's names: "cuda", 90, 32."""

    backend: str
    arch: int | str
    warp_size: int

    def __str__(self) -> str:
        """Return it as `weft.compile` takes it."""
        return ":".join(dict.fromkeys((self.backend, str(self.arch))))  # "cpu" has one name
