"""The names of passes in the dumps and timings of triton-opt.

Taken from the dumps of Triton 3.7.1 (MLIR_ENABLE_DUMP=1).
"""

from __future__ import annotations

from weft.passes.registry import Pass

__all__ = ["title"]

_TITLES = {
    "canonicalize": "Canonicalizer",
    "cse": "CSE",
    "gluon-infer-coalesced-encodings": "GluonInferCoalescedEncodingsPass",
    "gluon-resolve-auto-encodings": "GluonResolveAutoEncodingsPass",
    "inline": "Inliner",
    "sccp": "SCCP",
    "symbol-dce": "SymbolDCE",
    "convert-triton-to-tritongpu": "ConvertTritonToTritonGPU",
    "nvgpu-warp-specialization": "NVGPUWarpSpecialization",
    "triton-combine": "TritonCombineOps",
    "triton-licm": "TritonLoopInvariantCodeMotion",
    "triton-loop-aware-cse": "TritonLoopAwareCSE",
    "triton-loop-unroll": "TritonLoopUnroll",
    "triton-nvidia-gpu-fence-insertion": "TritonGPUFenceInsertion",
    "triton-nvidia-gpu-plan-cta": "TritonGPUPlanCTAPass",
    "triton-nvidia-gpu-proxy-fence-insertion": "TritonGPUProxyFenceInsertion",
    "triton-nvidia-gpu-remove-tmem-tokens": "TritonNvidiaGPURemoveTMEMTokensPass",
    "triton-nvidia-interleave-tmem": "TritonNvidiaGPUInterleaveTMemPass",
    "triton-nvidia-mma-lowering": "TritonNvidiaGPUMMALoweringPass",
    "triton-nvidia-optimize-descriptor-encoding": "TritonNvidiaGPUOptimizeDescriptorEncodingPass",
    "triton-nvidia-optimize-tmem-layouts": "TritonNvidiaGPUOptimizeTMemLayoutsPass",
    "triton-nvidia-tma-lowering": "TritonNvidiaGPUTMALoweringPass",
    "triton-reorder-broadcast": "TritonReorderBroadcast",
    "triton-rewrite-tensor-descriptor-to-pointer": "TritonRewriteTensorDescriptorToPointer",
    "relayout-tritongpu": "RelayoutTritonGPU",
    "triton-rewrite-tensor-pointer": "TritonRewriteTensorPointer",
    "triton-tensor-memory-allocation": "TritonTensorMemoryAllocationPass",
    "tritonamdgpu-convert-buffer-ops": "TritonAMDGPUConvertToBufferOps",
    "tritonamdgpu-convert-tensor-ops": "TritonAMDGPUConvertToTensorOps",
    "tritonamdgpu-fold-true-cmpi": "TritonAMDFoldTrueCmpI",
    "tritongpu-F32DotTC": "TritonGPUF32DotTC",
    "tritongpu-combine-tensor-select-and-if": "TritonGPUCombineTensorSelectAndIf",
    "tritongpu-global-scratch-memory-allocation": "TritonGPUGlobalScratchAllocationPass",
    "tritongpu-hoist-tmem-alloc": "TritonGPUHoistTMEMAlloc",
    "tritongpu-promote-lhs-to-tmem": "TritonNvidiaGPUPromoteLHSToTMemPass",
}
# `tritongpu-coalesce` is TritonGPUCoalesce: the dialect, then the words.
_DIALECTS = (
    ("tritonamdgpu-", "TritonAMDGPU"),
    ("tritongpu-", "TritonGPU"),
    ("triton-", "Triton"),
    ("nvws-", "NVWS"),
)


def title(one: Pass) -> str:
    """Find the name of a pass in MLIR's dumps: `Canonicalizer` for `canonicalize`."""
    known = _TITLES.get(one.name)
    if known is not None:
        return known
    for prefix, dialect in _DIALECTS:
        if one.name.startswith(prefix):
            words = one.name.removeprefix(prefix).split("-")
            return dialect + "".join(word[:1].upper() + word[1:] for word in words)
    return type(one).__name__
