"""Print the calls of a hook around the stages of a compilation, and of these stages."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget

_ADDED = ("name", "shared")


@triton.jit
def increment(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) + 1)


def hook(
    backend: Any = None,
    stages: Any = None,
    options: Any = None,
    language: Any = None,
    capability: Any = None,
) -> tuple[str, str] | None:
    if stages is None:
        print("key")
        return "key", "digest"
    target = backend.target
    print(target.backend, target.arch, language, capability, options.num_warps, *stages)
    for name, function in tuple(stages.items()):
        stages[name] = recording(name, function)
    return None


def recording(name, function):
    def run(src, metadata):
        added = [each for each in _ADDED if each in metadata]
        output = function(src, metadata)
        print(name, _kind(src), _kind(output), metadata["num_warps"], *added)
        return output

    return run


def _kind(value: object) -> str:
    return type(value).__name__ if isinstance(value, str | bytes) else "module"


if __name__ == "__main__":
    settings: Any = knobs.runtime
    settings.add_stages_inspection_hook = hook
    types = {"x": "*fp32", "y": "*fp32", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(increment, signature=types, constexprs={"BLOCK": 64})
    for chip in (GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)):
        triton.compile(source, target=chip, options={"num_warps": 8})
