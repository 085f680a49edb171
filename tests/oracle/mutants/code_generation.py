"""Lower the mutants that weft's verifier accepts to LLVM IR, for several targets.

    python -m tests.oracle.mutants.code_generation --target cuda:80 --target hip:gfx942 --count 5000

Code generation has to lower a mutant, or to refuse it by a `CodegenError` with a location. This
needs no wheel. The operands of a mutant become values without a definition (`ub.poison`), since a
kernel takes no tensors. A module without `ttg.num-warps` is TTIR, which gets layouts first.
"""

from __future__ import annotations

import argparse
import json
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.mutants.sampling import Mutant, collect, sample
from tests.oracle.mutants.sources import dialect_modules, recorded_modules
from weft.codegen import lower
from weft.errors import CodegenError, InternalCodegenError, WeftError
from weft.ir import tt, ttg, ttng, types, ub
from weft.ir.builtin import Block, FunctionType, IntegerAttr, ModuleOp, StringAttr
from weft.ir.text import parse_module
from weft.ir.verifier import verify
from weft.passes import parse_pipeline, run_pipeline
from weft.targets import target

DIALECTS = ("amdg", "arith", "cf", "math", "nvws", "scf", "tt", "ttg", "ttng")

OUTCOMES = ("lowered", "refused", "without a location", "internal error", "other exception")
DEFECTS = OUTCOMES[2:]
"""The outcomes that no verified module may have."""


@dataclass(frozen=True, slots=True)
class Lowering:
    """What code generation does with a mutant.

    Attributes:
        mutant: The mutant.
        chip: The target.
        outcome: One of `OUTCOMES`.
        message: The error, "" if the mutant was lowered.
        place: The file, line and function of weft that raised it; "" if there is no error.
    """

    mutant: Mutant
    chip: str
    outcome: str
    message: str = ""
    place: str = ""


def lower_mutants(mutants: Iterable[Mutant], chips: Iterable[str]) -> Iterator[Lowering]:
    """Lower each mutant that the verifier accepts for each target.

    Args:
        mutants: The mutants.
        chips: The targets, such as "cuda:90"; without one the module's own. A target whose warps
            have another size than the module's is skipped.
    """
    chips = tuple(chips)
    for mutant in mutants:
        for chip in chips or ("",):
            try:
                module = kernel(mutant.text, chip)
            except Exception as error:  # a defect of the parser, the verifier or the conversion
                yield Lowering(mutant, chip, *_exception(error))
                continue
            if module is not None:
                own = module.attributes["ttg.target"]
                assert isinstance(own, StringAttr)
                yield Lowering(mutant, own.data, *_outcome(module))


def kernel(text: str, chip: str) -> ModuleOp | None:
    """Parse a mutant as a kernel for a target; None if the verifier refuses it.

    Args:
        text: The module.
        chip: The target, "" for that of the module.
    """
    try:
        module = parse_module(text, "f.mlir")
        verify(module)
        function = module.body.block.last_op
        if not isinstance(function, tt.FuncOp):
            return None
        define_arguments(function)
        if chip and "ttg.num-warps" not in module.attributes:
            threads = target(chip).threads_per_warp
            options = f"target={chip} num-warps=4 threads-per-warp={threads}"
            run_pipeline(parse_pipeline(f"convert-triton-to-tritongpu{{{options}}}"), module)
        elif chip:
            threads = module.attributes.get("ttg.threads-per-warp")
            size = threads.value.data if isinstance(threads, IntegerAttr) else 32
            if size != target(chip).threads_per_warp:
                return None
            module.attributes["ttg.target"] = StringAttr(chip)
            module.attributes.setdefault("ttg.num-ctas", IntegerAttr(1, 32))
        verify(module)
    except WeftError:
        return None
    return module if isinstance(module.attributes.get("ttg.target"), StringAttr) else None


def define_arguments(function: tt.FuncOp) -> None:
    """Let operations define the tensors, buffers and tokens that a function takes."""
    block = function.regions[0].blocks.first
    assert isinstance(block, Block)
    for argument in list(block.args):
        type_ = argument.type
        if types.is_tensor(type_) or isinstance(type_, ttg.AsyncTokenType):
            definition = ub.PoisonOp.create(result_types=[type_])
        elif isinstance(type_, ttg.MemDescType) and type_.is_mutable:
            in_tensor_memory = isinstance(type_.memory_space, ttng.TensorMemoryAttr)
            cls = ttng.TMEMAllocOp if in_tensor_memory else ttg.LocalAllocOp
            definition = cls.create(result_types=[type_])
        else:
            continue
        assert block.first_op is not None
        block.insert_op_before(definition, block.first_op)
        argument.replace_all_uses_with(definition.results[0])
        block.erase_arg(argument)
    inputs = [argument.type for argument in block.args]
    outputs = list(function.function_type.outputs.data)
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)
    function.properties.pop("arg_attrs", None)


def _outcome(module: ModuleOp) -> tuple[str, str, str]:
    """Lower a module: the outcome, the message and the place in weft."""
    try:
        lower(module)
    except InternalCodegenError as error:
        return "internal error", error.message, _place(error.__cause__ or error)
    except CodegenError as error:
        located = error.location is not None
        outcome = "refused" if located else "without a location"
        return outcome, error.message, _place(error.__cause__ or error)
    except Exception as error:
        return _exception(error)
    return "lowered", "", ""


def _exception(error: Exception) -> tuple[str, str, str]:
    return "other exception", f"{type(error).__name__}: {error}", _place(error)


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/weft/" in frame.filename]
    if not own:
        return ""
    path = own[-1].filename.rpartition("/weft/")[2]
    return f"{path}:{own[-1].lineno} {own[-1].name}"


def print_table(lowerings: list[Lowering]) -> None:
    """Print the outcomes by target, and each defect with its count."""
    print(f"{'target':16}" + "".join(f"{name:>20}" for name in OUTCOMES))
    counts = Counter((lowering.chip, lowering.outcome) for lowering in lowerings)
    for chip in sorted({lowering.chip for lowering in lowerings}):
        print(f"{chip:16}" + "".join(f"{counts[chip, name]:20}" for name in OUTCOMES))
    defects = Counter(
        (lowering.mutant.op, lowering.place, lowering.message[:140])
        for lowering in lowerings
        if lowering.outcome in DEFECTS
    )
    for (op, place, message), count in defects.most_common():
        print(f"{count:6} {op}, {place}: {message}")


def main() -> None:
    """Lower mutants and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--target", action="append", default=[], help="default: the target of each module")
    add("--dialect", action="append", default=[], help="change operations of this dialect")
    add("--op", action="append", default=[], help="change this operation")
    add("--modules", type=Path, action="append", default=[], help="a file or folder of IR")
    add("--files", type=int, default=100, help="at most so many files of --modules")
    add("--count", type=int, default=2000, help="about so many mutants")
    add("--programs", type=int, default=12, help="programs per operation")
    add("--seed", type=int, default=0)
    add("--save", type=Path, help="write mutants and outcomes to this file, one JSON per line")
    options = parser.parse_args()
    dialects = options.dialect or ([] if options.op else DIALECTS)
    groups = collect(
        [
            *dialect_modules(),
            *recorded_modules(options.modules, limit=options.files, seed=options.seed),
        ],
        lambda name: name in options.op or name.partition(".")[0] in dialects,
    )
    mutants = sample(
        groups, count=options.count, seed=options.seed, programs_per_op=options.programs
    )
    lowerings = list(lower_mutants(mutants, options.target))
    if options.save:
        with options.save.open("w") as file:
            for each in lowerings:
                entry = {
                    "op": each.mutant.op,
                    "rule": each.mutant.rule,
                    "chip": each.chip,
                    "outcome": each.outcome,
                    "message": each.message,
                    "place": each.place,
                    "text": each.mutant.text,
                }
                file.write(json.dumps(entry) + "\n")
    print_table(lowerings)


if __name__ == "__main__":
    main()
