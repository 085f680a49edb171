"""Compile the launches of all examples with Triton, for machines that have a GPU.

    python -m tests.device.record_ttgir FOLDER [--target cuda:90] [--warps 1,4,8]

Needs Triton's wheel and no GPU: the examples run on the CPU device, while Triton compiles each of
their launches and the final TTGIR is written to a file.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tests.device.on_gpu import launch_key
from tests.examples.loading import EXAMPLES, FOLDER, load
from tests.oracle.reference import load_as_triton, target
from weft.kernel.jit import JITFunction
from weft.kernel.specialization import specialize
from weft.launch.binding import bind


def compile_by_triton(kernel: Any, signature: Any, options: dict[str, Any], chip: str) -> str:
    """Compile a kernel with Triton to final TTGIR, for a signature of weft."""
    import triton
    from triton.compiler import ASTSource

    attrs = {path: [list(pair) for pair in pairs] for path, pairs in signature.attrs.items()}
    source = ASTSource(kernel, signature.signature, signature.constexprs, attrs)
    return triton.compile(source, target=target(chip), options=options).asm["ttgir"]


def main() -> None:
    """Write a file per launch and number of warps."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="cuda:90")
    parser.add_argument("--warps", default="4")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    original = JITFunction.__getitem__
    kernels: dict[str, Any] = {}

    def launch(kernel: JITFunction, grid: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            values, options = bind(kernel, args, kwargs)
            signature = specialize(kernel, list(values.values()))
            for warps in arguments.warps.split(","):
                used = {"num_warps": int(warps)} | options
                file = arguments.folder / f"{launch_key(kernel, signature, used)}.ttgir"
                if file.exists():
                    continue
                try:
                    theirs = kernels[kernel.name]
                    file.write_text(compile_by_triton(theirs, signature, used, arguments.target))
                except Exception as error:  # report it and continue with the others
                    print(f"{file.stem}: {type(error).__name__}: {str(error)[:200]}")
            return original(kernel, grid)(*args, **kwargs)

        return run

    JITFunction.__getitem__ = launch  # pyright: ignore[reportAttributeAccessIssue]
    for name in EXAMPLES:
        if arguments.only in name:
            kernels.update(vars(load_as_triton(FOLDER / f"{name}.py")))
            load(name).main()


if __name__ == "__main__":
    main()
