"""The stages of one kernel's compilation, under the names of Triton's back ends.

backend.make_ttgir(module, metadata, options, 90)      # runs the passes, returns the module
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import structs

from weft.compiler.artifact import KernelInfo
from weft.compiler.entry import check_threads, kernel_info
from weft.compiler.gpu_target import GPUTarget
from weft.compiler.machine_code import assemble_cubin, emit_llvm, link_hsaco, lower_ttgir
from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.compiler.stage_reproducers import write_lowering_reproducer, write_stage_reproducer
from weft.errors import OptionError
from weft.targets import Target

# xDSL and the code generator: a kernel from the cache does not load them.
if TYPE_CHECKING:
    from weft.codegen import LlvmModule
    from weft.ir.builtin import ModuleOp
    from weft.ir.operation_views import ModuleView

__all__ = ["KernelBackend"]

Metadata = dict[str, Any]
StageFunction = Callable[[Any, Metadata], Any]


class KernelBackend:
    """The stages of one kernel's compilation.

    Each method takes the output of the stage before it, the metadata, to which it adds, options,
    and the compute capability of an NVIDIA chip.

    Attributes:
        chip: The target.
        target: The target under Triton's names.
        binary_ext: The stage whose output a driver loads.
        info: How the kernel is launched; None before `make_llir`.
    """

    def __init__(self, chip: Target, signature: Signature, is_gluon: bool) -> None:
        self.chip = chip
        self.target = GPUTarget(chip.backend, chip.arch, chip.threads_per_warp)
        self.binary_ext = {"cuda": "cubin", "hip": "hsaco"}.get(chip.backend, "ttir")
        self.info: KernelInfo | None = None
        self._signature, self._is_gluon = signature, is_gluon
        self._llvm: LlvmModule | None = None
        self._emitted = ""

    def stages(self, options: CompileOptions) -> dict[str, StageFunction]:
        """Map each stage to its function, in order."""
        methods: dict[str, Callable[..., Any]] = {"ttir": self.make_ttir}
        if self._is_gluon:
            methods = {"ttgir": self.gluon_to_ttgir}
        elif self.chip.backend != "cpu":
            methods["ttgir"] = self.make_ttgir
        if self.chip.backend == "hip":
            methods |= {"llir": self.make_llir, "amdgcn": self.make_amdgcn}
            methods["hsaco"] = self.make_hsaco
        elif self.chip.backend == "cuda":
            methods |= {"llir": self.make_llir, "ptx": self.make_ptx}
            if self._has_ptxas():
                methods["cubin"] = self.make_cubin
        return {name: self._function(method, options) for name, method in methods.items()}

    def _has_ptxas(self) -> bool:
        from weft.codegen.backend.ptxas import ptxas_for

        return ptxas_for(self.chip.llvm_cpu) is not None

    @staticmethod
    def _function(method: Callable[..., Any], options: CompileOptions) -> StageFunction:
        return lambda src, metadata: method(src, metadata, options)

    @staticmethod
    def module_of(value: object, stage: str) -> ModuleOp:
        """Get the module that a stage returned.

        Raises:
            OptionError: It is no module.
        """
        from weft.ir.operation_views import ModuleView

        if not isinstance(value, ModuleView):
            raise OptionError(
                f"{stage} must have a module", found=type(value).__name__, accepted=["a module"]
            )
        return value.module

    def make_ttir(
        self, src: ModuleView, metadata: Metadata, options: CompileOptions, capability: Any = None
    ) -> ModuleView:
        """Simplify the front end's TTIR."""
        return self._run_passes("ttir", src, options, capability)

    def make_ttgir(
        self, src: ModuleView, metadata: Metadata, options: CompileOptions, capability: Any = None
    ) -> ModuleView:
        """Convert TTIR to TTGIR, and choose layouts."""
        return self._run_passes("ttgir", src, options, capability)

    def gluon_to_ttgir(
        self, src: ModuleView, metadata: Metadata, options: CompileOptions, capability: Any = None
    ) -> ModuleView:
        """Infer the layouts that a Gluon kernel leaves open."""
        return self._run_passes("ttgir", src, options, capability)

    def _run_passes(
        self, kind: str, src: ModuleView, options: CompileOptions, capability: Any
    ) -> ModuleView:
        from weft.passes import run_pipeline
        from weft.pipelines import stages

        self._check(capability)
        pipeline = stages(self.chip, options, is_gluon=self._is_gluon)
        passes = tuple(each for stage in pipeline if stage.ir == kind for each in stage.passes)
        module = self.module_of(src, f"the input of stage {kind}")
        write_stage_reproducer(kind, module, passes)
        run_pipeline(passes, module)
        return src

    def make_llir(
        self, src: ModuleView, metadata: Metadata, options: CompileOptions, capability: Any = None
    ) -> str:
        """Lower TTGIR to LLVM IR; adds `shared` and `global_scratch_size` to the metadata."""
        self._check(capability)
        module = self.module_of(src, "the input of stage llir")
        write_lowering_reproducer(module, self.chip)
        check_threads(options.num_warps * self.chip.threads_per_warp, self.chip)
        llvm = lower_ttgir(module, options)
        self._llvm = llvm
        self.info = kernel_info(module, llvm, self._signature, options)
        metadata["shared"] = llvm.shared_bytes
        metadata["global_scratch_size"] = llvm.global_scratch_bytes
        return llvm.text

    def make_ptx(
        self, src: str, metadata: Metadata, options: CompileOptions, capability: Any = None
    ) -> str:
        """Compile LLVM IR to PTX; adds `name` to the metadata."""
        self._check(capability)
        return self._assembly("ptx", src, metadata)

    def make_amdgcn(self, src: str, metadata: Metadata, options: CompileOptions) -> str:
        """Compile LLVM IR to AMD's assembly; adds `name` to the metadata."""
        return self._assembly("amdgcn", src, metadata)

    def _assembly(self, stage: str, src: str, metadata: Metadata) -> str:
        llvm = self._lowered(stage)
        if src != llvm.text:
            llvm = structs.replace(llvm, text=src, positions=((0, None),), libraries=())
        self._llvm = llvm
        metadata["name"] = llvm.kernel
        text = emit_llvm(llvm, stage).decode()
        self._emitted = text
        return text

    def make_cubin(
        self, src: str, metadata: Metadata, options: CompileOptions, capability: Any = None
    ) -> bytes:
        """Assemble PTX."""
        self._check(capability)
        return assemble_cubin(structs.replace(self._lowered("cubin"), assembly=src)).image

    def make_hsaco(self, src: str, metadata: Metadata, options: CompileOptions) -> bytes:
        """Assemble and link AMD's assembly."""
        llvm = self._lowered("hsaco")
        # LLVM writes the object of the assembly that it wrote; another text needs an assembler.
        is_own = src == self._emitted
        return link_hsaco(llvm if is_own else structs.replace(llvm, assembly=src))

    def _lowered(self, stage: str) -> LlvmModule:
        if self._llvm is None:
            raise OptionError(
                f"stage {stage} needs the output of make_llir",
                found="another function in place of stages['llir']",
                hint="let it call backend.make_llir, and edit the text",
            )
        return self._llvm

    def _check(self, number: object) -> None:
        """Check that a stage is asked for the kernel's own target.

        Args:
            number: The compute capability that the stage is called with; None for the kernel's.

        Raises:
            OptionError: It is for another target.
        """
        if number is not None and f"{self.chip.backend}:{number}" != self.chip.name:
            raise OptionError(
                "a stage compiles for the kernel's target",
                found=f"capability {number}",
                accepted=[str(self.chip.arch)],
            )
