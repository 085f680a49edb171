"""What a kernel was compiled for, as text that another process compiles from.

    data = []
    hook = lambda *, compile, **call: data.append(compile["specialization_data"])
    knobs.runtime.jit_cache_hook = hook
    add[grid](x, y, out, n, BLOCK=1024)
    add.preload(data[0])                       # elsewhere, before the first launch

The text is JSON with Triton's fields. A constant that is no value of JSON is an object: an element
type, a `tl.constexpr`, a kernel by its module and name. Any other value is written, as hooks get
the text of every kernel, but cannot be preloaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast
from weakref import WeakValueDictionary

from weft.compiler.architecture import override_architecture
from weft.compiler.gpu_target import GPUTarget
from weft.compiler.options import CPU
from weft.compiler.signature import Signature
from weft.compiler.signature_types import AttributePairs, TypeName
from weft.errors import PreloadError
from weft.kernel.kernel_key import kernel_key
from weft.language.constexpr import constexpr
from weft.language.dtypes import dtype
from weft.language.kernel_function import KernelFunction
from weft.launch.devices import gpu_target
from weft.targets import target

__all__ = ["read_specialization", "register", "target_of", "write_specialization"]

_FUNCTIONS: WeakValueDictionary[str, KernelFunction] = WeakValueDictionary()
"""The kernels of this process by module and qualified name."""
_KEYS = frozenset(
    ("name", "target", "signature", "constant_keys", "constant_vals", "attrs_keys", "attrs_vals",
     "options")
)  # fmt: skip


def register(kernel: KernelFunction) -> None:
    """Let constants of specializations name a kernel."""
    _FUNCTIONS[_name(kernel)] = kernel


def _name(kernel: KernelFunction) -> str:
    return f"{kernel.module}:{kernel.fn.__qualname__}"


def target_of(gpu: int | None) -> GPUTarget:
    """Get the target that launches on a GPU compile for, or on the CPU device."""
    chip = target(CPU) if gpu is None else override_architecture(gpu_target(gpu))
    return GPUTarget(chip.backend, chip.arch, chip.threads_per_warp)


def write_specialization(
    kernel: KernelFunction,
    signature: Signature,
    options: Mapping[str, object],
    chip: GPUTarget,
) -> str:
    """Write what a kernel is compiled for.

    Args:
        kernel: The kernel.
        signature: Its signature.
        options: The compile options of the launch.
        chip: The target.
    """
    data = {
        "name": kernel.qualified_name,
        "signature": signature.signature,
        "constant_keys": [path for path, _ in signature.constants],
        "constant_vals": [_encode(value) for _, value in signature.constants],
        "attrs_keys": [path for path, _ in signature.attributes],
        "attrs_vals": [pairs for _, pairs in signature.attributes],
        "options": {name: _encode(value) for name, value in options.items()},
        "key": kernel_key(signature, options),
        "target": asdict(chip),
    }
    return json.dumps(data)


def read_specialization(
    kernel: KernelFunction, text: str, chip: GPUTarget
) -> tuple[Signature, dict[str, object]]:
    """Read what a kernel is compiled for.

    Args:
        kernel: The kernel.
        text: What `write_specialization` returned.
        chip: The target of this process.

    Returns:
        The signature and the compile options.

    Raises:
        PreloadError: The text is incomplete, for another kernel or target, names a kernel that this
            process has not defined, or has a constant that cannot be written.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise PreloadError("the specialization data is not JSON", found=str(error)) from None
    if not isinstance(data, dict) or not data.keys() >= _KEYS:
        raise PreloadError(
            "the specialization data is incomplete",
            found=sorted(data) if isinstance(data, dict) else type(data).__name__,
            accepted=sorted(_KEYS),
        )
    if data["name"] != kernel.qualified_name:
        raise PreloadError(
            f"Specialization data is for {data['name']} but trying to preload for "
            f"{kernel.qualified_name}"
        )
    if data["target"] != asdict(chip):
        raise PreloadError(
            f"Specialization data is for {data['target']} but trying to preload for {chip!r}"
        )
    constants = zip(data["constant_keys"], data["constant_vals"], strict=True)
    attributes = zip(data["attrs_keys"], data["attrs_vals"], strict=True)
    signature = Signature(
        tuple(data["signature"]),
        tuple(cast("TypeName", _tuples(each)) for each in data["signature"].values()),
        tuple((tuple(path), _decode(value)) for path, value in constants),
        tuple((tuple(path), cast("AttributePairs", _tuples(pairs))) for path, pairs in attributes),
    )
    return signature, {name: _decode(value) for name, value in data["options"].items()}


def _encode(value: object) -> object:
    if isinstance(value, constexpr):
        return {"constexpr": _encode(value.value)}
    if isinstance(value, dtype):
        return {"dtype": str(value)}
    if isinstance(value, KernelFunction):
        return {"jit_function": _name(value)}
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _encode(item) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return {"opaque": repr(value)}


def _decode(value: Any) -> Any:
    """Convert a value back.

    Raises:
        PreloadError: A kernel that this process has not defined, or a value that has no text.
    """
    if isinstance(value, list):
        return tuple(map(_decode, value))
    if not isinstance(value, dict):
        return value
    match value:
        case {"constexpr": inner}:
            return constexpr(_decode(inner))
        case {"dtype": name}:
            return dtype(name)
        case {"jit_function": name}:
            if name not in _FUNCTIONS:
                raise PreloadError(f"Unable to resolve JITFunction {name} for preload")
            return _FUNCTIONS[name]
        case {"opaque": text}:
            raise PreloadError("a constant of the kernel cannot be preloaded", found=text)
        case _:
            return value


def _tuples(value: Any) -> Any:
    """Convert nested lists to tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
