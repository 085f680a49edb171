"""Record Triton's final TTGIR of the kernels that benchmarks/recorded_ttgir.py runs.

    python -m benchmarks.record_ttgir

Needs the Triton that weft is compared with, and no GPU. The files are in benchmarks/ttgir/, so
that a machine with a GPU, and another Triton, can lower them.
"""

from __future__ import annotations

from pathlib import Path

import triton
from triton.compiler import ASTSource

from tests.oracle.reference import load_as_triton, target

FOLDER = Path(__file__).parent / "ttgir"
EXAMPLES = Path(__file__).parents[1] / "examples"
_MATMUL = {"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64, "GROUP": 8, "ACTIVATION": "none"}
_ATTENTION = {"BLOCK_M": 128, "BLOCK_N": 64, "HEAD": 64}
# file: (example, kernel, type of the arrays, constants, options)
KERNELS = {
    "matmul": ("matmul", "*fp16", _MATMUL, {"num_warps": 8, "num_stages": 3}),
    "attention_causal": ("attention", "*fp16", _ATTENTION | {"CAUSAL": True}, {"num_warps": 4}),
    "attention_full": ("attention", "*fp16", _ATTENTION | {"CAUSAL": False}, {"num_warps": 4}),
}


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for name, (example, array, constants, options) in KERNELS.items():
        kernel = getattr(load_as_triton(EXAMPLES / f"{example}.py"), example)
        signature, attrs = {}, {}
        for position, argument in enumerate(kernel.arg_names):
            pointer = argument.endswith("_ptr")
            kind = array if pointer else "fp32" if argument == "scale" else "i32"
            signature[argument] = "constexpr" if argument in constants else kind
            if kind != "fp32" and argument not in constants:
                attrs[(position,)] = [["tt.divisibility", 16]]
        constexprs = {(kernel.arg_names.index(key),): value for key, value in constants.items()}
        source = ASTSource(kernel, signature, constexprs, attrs)
        compiled = triton.compile(source, target=target("cuda:90"), options=options)
        # Places count from the root of the checkout, and from where Triton is installed.
        text = compiled.asm["ttgir"]
        for root in (EXAMPLES.parent, Path(triton.__file__).parents[1]):
            text = text.replace(f"{root}/", "")
        (FOLDER / f"{name}.ttgir").write_text(text)


if __name__ == "__main__":
    main()
