"""Why names and parameters of Triton differ under weft, by patterns of their paths."""

from __future__ import annotations

import re

_IMPORTED = "a name that a module of Triton imports for itself"
_ERRORS = "the message of weft's error is its first parameter, under another name"
_GLUON = "Gluon"
_DECLARED = "an iterator or condition of kernels, which only the front end reads"
_STAGES = "weft compiles by its own stages (weft.pipelines) and launches by its own drivers"
_LOADED = "a compiled kernel of another type: weft loads a kernel when it is launched"
_REASONS: tuple[tuple[str, str], ...] = (
    (r"^triton\.experimental", _GLUON),
    (r"\.(jit|constexpr_function|driver|backends|TYPE_CHECKING|MockTensor|tl)(\(|$)", _IMPORTED),
    (r"^triton\._utils\.[vk]$", _IMPORTED),
    (r"^triton\._filecheck\.", _IMPORTED),
    (r"^triton\.language\.extra\.(modules|module_\w+|is_pkg|spec)$", _IMPORTED),
    (r"\.(InterpreterError|PTXASError|AutotunerError)\b", _ERRORS),
    (r"^triton\.language\.core\.(range|static_range|condition)\.", _DECLARED),
    (r"^triton\.language\.core\._unwrap_if_constexpr", "one positional parameter"),
    (r"tensor_descriptor_base\.(gather|scatter)", "its parameters are named"),
    (r"interpreter\.InterpretedFunction\.", "weft's interpreter runs TTIR and rewrites no Python"),
    (r"CompiledKernel|max_shared_mem", _LOADED),
    (r"KernelParam|JITCallable\.(hash|used_global_vals|cache_key)", _LOADED),
    (r"JITFunction\.(preload|kernel|create_binder|compile|CompiledKernel|ASTSource)", _LOADED),
    (r"Autotuner\.check_disk_cache|Config\.ir_override", "compile the file itself"),
    (r"^triton\.backends\.(\w+\.)*\w*(Backend|Driver|DriverBase)\.", _STAGES),
    (r"^triton\.profiler", "weft's profiler measures launches, without instrumentation"),
    (r"target_info\.current_target", "not done"),
)
_PATTERNS = [(re.compile(pattern), reason) for pattern, reason in _REASONS]


def reason_of(path: str) -> str:
    """Find the reason for a path; "" if there is none."""
    return next((reason for pattern, reason in _PATTERNS if pattern.search(path)), "")
