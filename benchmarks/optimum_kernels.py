"""Kernels of the corpus as loads of a GPU: each program does the work of program 0 on its own data.

    %pid = tt.get_program_id x            %id  = tt.get_program_id x
                                          %o   = %id · 65536
                                          %x1  = tt.addptr %x, %o       each pointer argument
                                          %pid = arith.shrui %id, 30    0 in every launch

So a kernel runs on random arguments with as many programs as fill a GPU, without accesses beyond
the arrays, and its layouts stay those that its own program ids lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import weft
from tests.codegen.comparing import ELEMENTS, arguments_for, kernel_of
from weft.compiler.annotations import read_signature
from weft.compiler.build import build
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.errors import OutOfBoundsError, WeftError
from weft.interpreter import run as interpret
from weft.ir import arith, scf, tt, types
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.enums import ProgramDim
from weft.ir.rewriting import Builder, walk
from weft.ir.text import parse_module, print_module
from weft.kernel.files import load_cases, load_file
from weft.optimum import module_cost
from weft.targets import target

__all__ = [
    "LAYOUTS",
    "Prepared",
    "arguments_of",
    "data_of",
    "first_arguments_within_bounds",
    "load_variant",
    "prepare",
    "with_own_data",
]

LAYOUTS = ("heuristic", "refined", "optimal")
# Of integers, from the largest to random ones below 100, and to small ones.
_SIZES = (1024, 256, 128, 0, 16)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A kernel of the corpus, compiled for a chip.

    Attributes:
        name: Its name in the table.
        path: Its file.
        index: The number of its case.
        chip: The target.
        costs: The counted cost of each of `LAYOUTS`.
        files: The file of the TTGIR of each of `LAYOUTS`; equal ones have one file.
        arguments: The number of the arguments, as of `arguments_of`.
    """

    name: str
    path: str
    index: int
    chip: str
    costs: tuple[int, ...]
    files: tuple[str, ...]
    arguments: int = 0


def prepare(path: Path, index: int, chip: str, folder: Path) -> Prepared:
    """Compile a kernel with each of `LAYOUTS`, and write the TTGIR of its loads.

    Raises:
        WeftError: It does not compile for the chip.
        ValueError: Random arguments cannot be made for it.
    """
    case = load_cases(load_file(str(path)))[index]
    costs: list[int] = []
    files: list[str] = []
    texts: dict[str, str] = {}
    for layouts in LAYOUTS:
        module = weft.compile(
            case.kernel,
            signature=case.signature,
            constexprs=case.constexprs,
            target=chip,
            stop_after="ttgir",
            options={**case.options, "layouts": layouts},
        ).module("ttgir")
        costs.append(module_cost(module, target(chip)))
        with_own_data(module)
        text = print_module(module)
        if text not in texts:
            file = folder / f"{path.stem}-{index}-{layouts}.ttgir"
            file.write_text(text)
            texts[text] = str(file)
        files.append(texts[text])
    number = first_arguments_within_bounds(files[0]) if len(texts) > 1 else 0
    prepared = Prepared(
        f"{path.stem} {index}", str(path), index, chip, tuple(costs), tuple(files), number
    )
    for file in dict.fromkeys(files):
        _artifact(prepared, file)
    return prepared


def arguments_of(kernel: tt.FuncOp, number: int) -> list[Any]:
    """Make arguments of a kernel.

    Its integers may be the bounds of masks. If they are small, a kernel moves little data, and its
    time is not that of its accesses.

    Args:
        kernel: The kernel.
        number: Of the size of its integers, as of `_SIZES`. In the second half of the numbers, its
            arrays of integers, which may be indices, are zero.
    """
    arguments = arguments_for(kernel, 0)
    size = _SIZES[number % len(_SIZES)]
    for index, value in enumerate(arguments):
        if isinstance(value, np.ndarray):
            if number >= len(_SIZES) and value.dtype.kind in "iu":
                arguments[index] = np.zeros_like(value)
        elif isinstance(value, int) and size:
            is_divisible = "tt.divisibility" in kernel.argument_attributes(index)
            is_flag = kernel.function_type.inputs.data[index] == types.i1
            arguments[index] = value if is_flag else size if is_divisible else size - 1
    return arguments


def first_arguments_within_bounds(file: str) -> int:
    """Find arguments with which a kernel accesses nothing beyond its arrays.

    Raises:
        ValueError: There are none.
    """
    module = parse_module(Path(file).read_text())
    kernel = kernel_of(module)
    for number in range(2 * len(_SIZES)):
        try:
            interpret(module, kernel.symbol, (1,), arguments_of(kernel, number))
        except OutOfBoundsError:
            continue
        except WeftError:  # the interpreter does not support it; a GPU may
            return 0
        return number
    raise ValueError("it accesses elements beyond its arrays")


def with_own_data(module: ModuleOp) -> None:
    """Give each program of a kernel the work of program 0, on different elements.

    Raises:
        ValueError: An argument is neither a number nor a pointer to numbers, or a loop may wait.
    """
    kernel = kernel_of(module)
    block = kernel.entry
    ops = {type(op) for op in walk(kernel)}
    if scf.WhileOp in ops and ops & {tt.AtomicCASOp, tt.AtomicRMWOp}:
        raise ValueError("a loop that may wait for random data")
    queries = [op for op in walk(kernel) if isinstance(op, tt.GetProgramIdOp | tt.GetNumProgramsOp)]
    for op in queries:
        _make_first(op)
    builder = Builder().at_start(block)
    axis = ProgramDim(0).attr()
    number = builder.value(tt.GetProgramIdOp, [], types.i32, {"axis": axis})
    wide = builder.value(arith.ExtSIOp, [number], types.i64)
    offset = builder.value(arith.MulIOp, [wide, builder.constant(ELEMENTS, types.i64)], types.i64)
    for argument in block.args:
        if types.is_pointer(argument.type):
            uses = list(argument.uses)
            own = builder.value(tt.AddPtrOp, [argument, offset], argument.type)
            for use in uses:
                use.operation.operands[use.index] = own
        elif not (types.is_integer(argument.type) or types.is_float(argument.type)):
            raise ValueError(f"an argument of type {argument.type}")


def _make_first(op: Operation) -> None:
    """Make the id of a program 0, and the number of programs 1, in a way unknown to LLVM."""
    builder = Builder().after(op)
    uses = list(op.results[0].uses)
    value = builder.value(
        arith.ShRUIOp, [op.results[0], builder.constant(30, types.i32)], types.i32
    )
    if isinstance(op, tt.GetNumProgramsOp):
        value = builder.value(arith.AddIOp, [value, builder.constant(1, types.i32)], types.i32)
    for use in uses:
        use.operation.operands[use.index] = value


def _artifact(prepared: Prepared, file: str) -> tuple[Any, Signature, Any]:
    """Compile a TTGIR file to machine code, or load it from the cache."""
    case = load_cases(load_file(prepared.path))[prepared.index]
    kernel: Any = case.kernel
    chip = target(prepared.chip)
    signature = read_signature(kernel, case.signature, case.constexprs, None)
    options = options_for(chip, {**case.options, "ir_override": file})
    return kernel, signature, build(kernel, signature, options, chip)


def load_variant(prepared: Prepared, file: str) -> Any:
    """Load a TTGIR file on the GPU: a function of the grid and one value per parameter."""
    from weft.launch.drivers.gpu_kernel import load_artifact

    kernel, signature, artifact = _artifact(prepared, file)
    loaded = load_artifact(kernel, signature, artifact, 0)
    constants = dict(signature.argument_constants)

    def launch(programs: int, values: Sequence[object]) -> None:
        others = iter(values)
        arguments = [
            constants[index] if index in constants else next(others)
            for index in range(len(kernel.parameters))
        ]
        loaded[(programs,)](*arguments)

    return launch


def data_of(prepared: Prepared, programs: int, device: str) -> list[Any]:
    """Make the arguments of a kernel: for each pointer as many elements per program as it needs."""
    import torch

    values: list[Any] = []
    kernel = kernel_of(parse_module(Path(prepared.files[0]).read_text()))
    for value in arguments_of(kernel, prepared.arguments):
        if not isinstance(value, np.ndarray):
            values.append(value)
            continue
        of_bytes = torch.from_numpy(value.view(np.uint8)).to(device).repeat(programs + 1)
        values.append(of_bytes.view(_torch_type(str(value.dtype))))
    return values


def _torch_type(name: str) -> Any:
    import torch

    return getattr(torch, name)
