"""What is known of a compiled kernel: name, target, options, shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from weft.compiler.options import CompileOptions

__all__ = ["Metadata"]


@dataclass(frozen=True, slots=True)
class Metadata:
    """Say what a compiled kernel is.

    Args: name: of its function.  target: "hip:gfx942".  options: all compile options.
          signature: its one-line form; "" for IR from a file.
          hash: of sources, signature, target and options; the same in another process.
          shared: bytes of a block's shared memory, None where that is not known yet.
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
