"""The counterpart of each module of Triton 3.7.1.

triton.runtime.jit         weft.compat.runtime.jit        the same path below weft.compat
triton.language.math       weft.language.math             the same path below weft
triton.testing             weft.testing                   a row of `_OTHER_PATHS`

A module of weft that is no counterpart, such as weft.language.dtypes, has no name below triton.
"""

from __future__ import annotations

_ROOT = "triton"
_COMPAT = "weft.compat"
_OTHER_PATHS = {
    "triton": _COMPAT,
    "triton._filecheck": "weft.compat.front_end_tests",
    "triton._internal_testing": "weft.compat.test_support",
    "triton._utils": "weft.compat.type_names",
    "triton.compiler.compiler": "weft.compat.compiler",
    "triton.compiler.errors": "weft.compat.errors",
    "triton.errors": "weft.compat.errors",
    "triton.experimental.gluon._runtime": "weft.kernel.gluon",
    "triton.experimental.gluon.language._core": "weft.gluon",
    "triton.experimental.gluon.language._layouts": "weft.gluon.layouts",
    "triton.experimental.gluon.language._math": "weft.gluon",
    "triton.experimental.gluon.language._standard": "weft.gluon.standard",
    "triton.experimental.gluon.language.amd._layouts": "weft.gluon.layouts.amd",
    "triton.knobs": "weft.knobs",
    "triton.language": "weft.language",
    "triton.language.extra.cuda.gdc": "weft.language.extra.cuda.grid_dependency_control",
    "triton.language.extra.cuda.utils": "weft.language.extra.cuda.special_registers",
    "triton.language.extra.hip.utils": "weft.language.extra.hip.special_registers",
    "triton.language.semantic": "weft.compat.semantic",
    "triton.profiler.language": "weft.compat.profiler.records",
    "triton.profiler.profile": "weft.compat.profiler.sessions",
    "triton.profiler.scope": "weft.compat.profiler.scopes",
    "triton.profiler.state": "weft.compat.profiler.states",
    "triton.runtime._allocation": "weft.compat.runtime.allocation",
    "triton.runtime._async_compile": "weft.kernel.async_compile",
    "triton.runtime.errors": "weft.compat.errors",
    "triton.testing": "weft.testing",
}
# Package of Triton → package of weft with modules of the same names; the innermost first.
_PACKAGES = {
    "triton.experimental.gluon.language": "weft.gluon",
    "triton.experimental": "weft.experimental",
    "triton.language": "weft.language",
}
# What to do without a module of Triton that weft has no counterpart of.
_INSTEAD = {
    "triton.tools.triton_to_gluon_translater": "weft translates no kernel to Gluon; write it with "
    "weft.experimental.gluon, and `weft compile --emit ttgir` prints the layouts to name",
}
# Modules by package. Triton has more, which only its own compiler imports.
_MODULES = {
    "triton": "_C _filecheck _internal_testing _utils backends compiler errors experimental knobs "
    "language profiler runtime testing tools",
    "triton._C": "libtriton",
    "triton._C.libtriton": "amd gluon_ir interpreter ir linear_layout llvm nvidia passes proton",
    "triton.backends": "amd compiler driver nvidia",
    "triton.backends.amd": "compiler driver",
    "triton.backends.nvidia": "compiler driver",
    "triton.compiler": "code_generator compiler errors make_launcher",
    "triton.experimental": "gluon",
    "triton.experimental.gluon": "_runtime amd language nvidia",
    "triton.experimental.gluon.amd": "gfx1250",
    "triton.experimental.gluon.nvidia": "blackwell hopper",
    "triton.experimental.gluon.language": "_core _layouts _math _standard amd extra nvidia",
    "triton.experimental.gluon.language.amd": "_layouts cdna3 cdna4 gfx1250 rdna3 rdna4 "
    "warp_pipeline",
    "triton.experimental.gluon.language.amd.cdna4": "async_copy",
    "triton.experimental.gluon.language.amd.gfx1250": "async_copy cluster mbarrier tdm",
    "triton.experimental.gluon.language.nvidia": "ampere blackwell hopper",
    "triton.experimental.gluon.language.nvidia.ampere": "async_copy mbarrier",
    "triton.experimental.gluon.language.nvidia.blackwell": "float2 tma",
    "triton.experimental.gluon.language.nvidia.hopper": "cluster mbarrier tma",
    "triton.language": "core extra math random semantic standard target_info",
    "triton.language.extra": "cuda hip libdevice",
    "triton.language.extra.cuda": "gdc libdevice utils",
    "triton.language.extra.hip": "libdevice utils",
    "triton.profiler": "context data flags hooks language metric mode profile proton scope specs "
    "state viewer",
    "triton.profiler.hooks": "hook instrumentation launch",
    "triton.runtime": "_allocation _async_compile autotuner build cache driver errors interpreter "
    "jit",
    "triton.tools": "build_extern compile disasm link mxfp ragged_tma tensor_descriptor",
}
_NAMES = frozenset({
    _ROOT, *(f"{package}.{name}" for package, names in _MODULES.items() for name in names.split())
})  # fmt: skip


def counterpart(name: str) -> str | None:
    """Find the module of weft for a module of Triton; None if there is none."""
    if name not in _NAMES:
        return None
    if name in _OTHER_PATHS:
        return _OTHER_PATHS[name]
    package = next((each for each in _PACKAGES if _is_in(name, each)), _ROOT)
    return _PACKAGES.get(package, _COMPAT) + name.removeprefix(package)


def instead_of(name: str) -> str:
    """Find what to do without a module of Triton; "" if there is no advice."""
    return next((advice for each, advice in _INSTEAD.items() if _is_in(name, each)), "")


def is_package(name: str) -> bool:
    """Check whether a module of Triton has modules in it."""
    return name in _MODULES


def _is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def module_names() -> list[str]:
    """List the modules of Triton that weft has a counterpart of."""
    return sorted(_NAMES)
