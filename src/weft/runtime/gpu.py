"""Run a kernel on a GPU: compile it for the device its arrays are on, and launch it there.

x = torch.rand(4096, device="cuda")
add[(4,)](x, y, out, 4096, BLOCK=1024)      # sm_90's PTX, on torch's current stream
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft.errors import LaunchError
from weft.language.function import KernelFunction
from weft.runtime.arrays import address, is_array, is_descriptor
from weft.runtime.collection import uncollected
from weft.runtime.drivers.cuda import CudaDriver, CudaFunction
from weft.runtime.lowering import lower_kernel
from weft.runtime.machine_code import image_of, lowered, prepare
from weft.runtime.options import CompileOptions, options_for
from weft.runtime.signature import Path, Signature

if TYPE_CHECKING:
    from weft.codegen import LlvmModule
    from weft.ir.builtin import ModuleOp

__all__ = ["GpuProgram", "gpu_of", "prepare_for_gpu"]

Grid = tuple[int, int, int]


def gpu_of(values: Mapping[str, Any]) -> int | None:
    """Return the number of the GPU that a launch's arrays are on; None if they are on none.

    Raises: LaunchError: they are on several devices.
    """
    found: dict[int | None, str] = {}
    for name, value in _arrays(values):
        found.setdefault(_device(value), name)
    if len(found) > 1:
        places = [
            f"{name} on {'the CPU' if n is None else f'GPU {n}'}" for n, name in found.items()
        ]
        raise LaunchError("the arrays of one launch must be on one device", found=", ".join(places))
    return next(iter(found), None)


def _arrays(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        if isinstance(value, tuple):
            found += _arrays({f"{name}[{at}]": item for at, item in enumerate(value)})
        elif is_descriptor(value):
            found.append((name, value.base))
        elif is_array(value):
            found.append((name, value))
    return found


def _device(value: Any) -> int | None:
    """Return the number of the GPU that an array is on."""
    device = getattr(value, "device", None)
    kind = getattr(device, "type", "")
    if kind == "cuda":
        return device.index or 0  # pyright: ignore
    if not kind and hasattr(value, "__cuda_array_interface__"):
        return int(getattr(device, "id", 0))
    return None


@dataclass(frozen=True, slots=True)
class GpuProgram:
    """A kernel compiled for one specialisation and one GPU.

    Args: signature: what it was compiled for.  modules: stage → the IR it left.
    llvm: the LLVM module.  ptx: its assembly.  function: the loaded kernel.
    """

    signature: Signature
    module: ModuleOp = field(repr=False)
    llvm: LlvmModule = field(repr=False)
    ptx: bytes = field(repr=False)
    function: CudaFunction
    device: int
    paths: tuple[Path, ...]
    starter: Callable[..., None] = field(repr=False)
    pick: Callable[[tuple[Any, ...]], Sequence[Any]] = field(repr=False)

    @property
    def is_flat(self) -> bool:
        """Return whether every run-time argument is a parameter of its own, and no tuple's item."""
        return all(len(path) == 1 for path in self.paths)

    @property
    def asm(self) -> dict[str, str]:
        """Return the texts: "ttgir", "llir" and "ptx"."""
        from weft.ir.text import print_module

        return {
            "ttgir": print_module(self.module),
            "llir": self.llvm.text,
            "ptx": self.ptx.decode(),
        }

    @property
    def n_regs(self) -> int:
        """Return the registers of a thread."""
        return self.function.registers

    @property
    def n_spills(self) -> int:
        """Return the bytes of a thread's registers that went to memory."""
        return self.function.spilled_bytes

    def launch(self, grid: Grid, values: Mapping[str, Any]) -> None:
        """Start all programs of the grid on the current stream.

        Raises: LaunchError: the driver refuses.
        """
        if 0 in grid:
            return
        given = list(values.values())
        arguments = [_argument(_at(given, path)) for path in self.paths]
        self.starter(grid, current_stream(self.device), *arguments)

    def relaunch(self, grid: Grid, values: tuple[Any, ...], stream: int) -> None:
        """Start it on values of all parameters, pointers as addresses."""
        self.starter(grid, stream, *self.pick(values))


def _at(given: list[Any], path: Path) -> Any:
    value = given[path[0]]
    for index in path[1:]:
        value = value[index]
    return value


def _argument(value: Any) -> Any:
    """Return a value as it is packed: an address, or a number as a signed one."""
    if is_array(value):
        return address(value)
    return value - (1 << 64) if isinstance(value, int) and value >= 1 << 63 else value


def current_stream(device: int) -> int:
    """Return torch's current stream where torch is loaded, else the default one."""
    torch = sys.modules.get("torch")
    return torch._C._cuda_getCurrentRawStream(device) if torch is not None else 0


def _picker(paths: tuple[Path, ...]) -> Callable[[tuple[Any, ...]], Sequence[Any]]:
    """Return what takes the run-time arguments out of the values of all parameters."""
    places = [path[0] for path in paths]
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda values: [values[place] for place in places]


def prepare_for_gpu(
    kernel: KernelFunction, signature: Signature, options: Mapping[str, Any], device: int
) -> GpuProgram:
    """Compile a kernel for a GPU of this machine, and load it there.

    Raises: CompilationError, LaunchError (an option), PassError, CodegenError,
            UnknownTargetError: the GPU is of a kind that weft does not know.
    """
    from weft.codegen.llvm_types import llvm_type
    from weft.ir import tt
    from weft.passes import run_pipeline
    from weft.pipelines import stages
    from weft.targets import target

    driver = CudaDriver.get()
    chip = target(f"cuda:{driver.capability(device)}")
    prepare(chip.llvm_cpu)
    checked = options_for(chip, options)
    check_launch(kernel, checked)
    with uncollected():
        module = lower_kernel(kernel, signature, chip, checked)
        for stage in stages(chip, checked):
            run_pipeline(stage.passes, module)
        llvm = lowered(module, checked)
    ptx, image = image_of(llvm)
    function = driver.load(image, llvm.kernel, llvm.shared_bytes, device)
    (entry,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public)
    types = [llvm_type(kind) for kind in entry.function_type.inputs.data]
    threads = llvm.launch.num_warps * chip.threads_per_warp
    starter = driver.starter(function, threads, llvm.shared_bytes, types)
    paths = tuple(path for path, _ in signature.runtime_arguments())
    return GpuProgram(
        signature, module, llvm, ptx, function, device, paths, starter, _picker(paths)
    )


def check_launch(kernel: KernelFunction, options: CompileOptions) -> None:
    """Refuse ways to launch that there are not.

    Raises: LaunchError: a cooperative grid, or a launch that depends on the one before.
    """
    for name in ("launch_cooperative_grid", "launch_pdl"):
        if getattr(options, name):
            raise LaunchError(
                f"{kernel.name}: weft cannot launch with {name} on a GPU",
                found=f"{name}=True",
                accepted=[f"{name}=False"],
            )
