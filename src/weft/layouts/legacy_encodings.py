"""Translate encodings as earlier releases of Triton printed them.

    3.1 and before   #triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0],
                     hasLeadingOffset = true}>            is #ttg.nvmma_shared<{…}>
    2.x              #triton_gpu.mma<{…}>                 is #ttg.nvidia_mma<{…}>
                     #triton_gpu.mfma<{nonKDim = 32, …}>  is #ttg.amd_mfma<{instrShape = [32, 32]…}>
    3.3 and before   versionMajor, versionMinor           of #ttg.amd_mfma is version
    3.5 and before   CTAsPerCGA, CTASplitNum, CTAOrder    are CGALayout
    3.6 and before   warpsPerCTA                          of #ttg.amd_wmma is ctaLayout

`modernize` takes the name and the keys as parsed, and returns those of today; what is of today
already does not change. Some legacy text says less: instrShape of MFMA has no K.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from weft.errors import LayoutError
from weft.layouts.cluster_split import cta_split
from weft.layouts.encodings.base import Value
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["DIALECTS", "NAMES", "modernize"]

DIALECTS: Mapping[str, str] = {"triton_gpu": "ttg", "triton_nvidia_gpu": "ttng"}
# Legacy name -> mnemonic of today. A leading offset turns `shared` into yet another encoding.
NAMES: Mapping[str, str] = {
    "blocked_layout": "blocked",
    "mma": "nvidia_mma",
    "mfma": "amd_mfma",
    "wmma": "amd_wmma",
    "shared": "swizzled_shared",
}
_CLUSTER_KEYS = ("CTAsPerCGA", "CTASplitNum", "CTAOrder")
_ELEMENT_BITS = {"f32": 32, "i32": 32, "f64": 64}

_Fields = dict[str, Value]


def modernize(name: str, fields: Mapping[str, Value]) -> tuple[str, _Fields]:
    """Translate an encoding.

    Args:
        name: the mnemonic, legacy or of today.
        fields: value by key.

    Returns:
        The mnemonic and the fields of today.

    Raises:
        LayoutError: legacy keys contradict each other, or do not say enough.
    """
    mnemonic, result = NAMES.get(name, name), dict(fields)
    cluster = {key: result.pop(key) for key in _CLUSTER_KEYS if key in result}
    if cluster:
        result["CGALayout"] = _cga_layout(cluster)
    if mnemonic == "swizzled_shared" and result.pop("hasLeadingOffset", False):
        return "nvmma_shared", _nvmma_shared(result)
    translate = _TRANSLATIONS.get(mnemonic)
    if translate is not None:
        translate(result)
    return mnemonic, result


def _integers(key: str, value: Value) -> tuple[int, ...]:
    """Return a list of integers, checked."""
    if not isinstance(value, tuple | list):
        raise LayoutError(f"{key} must be a list of integers", found=value)
    numbers = tuple(item for item in value if isinstance(item, int) and not isinstance(item, bool))
    if len(numbers) != len(value):
        raise LayoutError(f"{key} must be a list of integers", found=value)
    return numbers


def _mfma(fields: _Fields) -> None:
    if "versionMajor" in fields:
        fields.setdefault("version", fields.pop("versionMajor"))
        fields.pop("versionMinor", None)
    if "nonKDim" in fields:
        size = fields.pop("nonKDim")
        fields.setdefault("instrShape", (size, size))
        fields.setdefault("version", 1)
    if "elementType" in fields:
        element = fields.pop("elementType")
        bits = _ELEMENT_BITS.get(element) if isinstance(element, str) else None
        if bits is None:
            raise LayoutError(
                "elementType must be the type of an MFMA's result",
                found=element,
                accepted=_ELEMENT_BITS,
            )
        fields["elementBitWidth"] = bits


def _wmma(fields: _Fields) -> None:
    if "warpsPerCTA" not in fields:
        return
    fields.setdefault("version", 1)
    warps = _integers("warpsPerCTA", fields.pop("warpsPerCTA"))
    if "ctaLayout" in fields:
        raise LayoutError(
            "#ttg.amd_wmma takes warpsPerCTA (Triton 3.6) or ctaLayout (Triton 3.7), not both",
            found=", ".join(fields),
        )
    for count in warps:
        if not is_power_of_two(count):
            raise LayoutError("warpsPerCTA must hold powers of two", found=list(warps))
    rank = len(warps)
    vectors = tuple(
        tuple(1 << bit if d == dim else 0 for d in range(rank))
        for dim in reversed(range(rank))
        for bit in range(warps[dim].bit_length() - 1)
    )
    fields["ctaLayout"] = {"warp": vectors}
    fields.setdefault("rank", rank)


def _tensor_memory(fields: _Fields) -> None:
    if "unpacked" not in fields:
        return
    if fields.pop("unpacked"):
        raise LayoutError(
            "unpacked = true gives each element a column of 32 bits, and the text does not say "
            "how wide an element is",
            found="unpacked = true",
            accepted=["colStride = 32 / element bits"],
        )
    fields.setdefault("colStride", 1)


_TRANSLATIONS: Mapping[str, Callable[[_Fields], None]] = {
    "amd_mfma": _mfma,
    "amd_wmma": _wmma,
    "tensor_memory_encoding": _tensor_memory,
}


def _cga_layout(fields: Mapping[str, Value]) -> tuple[tuple[int, ...], ...]:
    """Return the basis vectors over CTAs; those beyond CTASplitNum hold the same part."""
    ctas = _integers("CTAsPerCGA", fields.get("CTAsPerCGA", ()))
    splits = _integers("CTASplitNum", fields.get("CTASplitNum", ctas))
    order = _integers("CTAOrder", fields.get("CTAOrder", (*reversed(range(len(ctas))),)))
    return cta_split(ctas, splits, order)


def _nvmma_shared(fields: _Fields) -> _Fields:
    """Translate a `shared` encoding with a leading offset.

    It permutes vectors of 16 bytes within 16 * maxPhase bytes, as nvmma_shared does.
    """
    keys = ("vec", "perPhase", "maxPhase", "order")
    for key in keys:
        if key not in fields:
            raise LayoutError(f"#triton_gpu.shared: {key} is missing", accepted=keys)
    vec, per_phase, max_phase = (fields[key] for key in keys[:3])
    if not (isinstance(vec, int) and isinstance(per_phase, int) and isinstance(max_phase, int)):
        raise LayoutError("vec, perPhase and maxPhase must be integers", found=fields)
    order = _integers("order", fields["order"])
    if per_phase * max_phase != 8 or vec not in (1, 2, 4, 8, 16) or len(order) != 2:
        raise LayoutError(
            "#triton_gpu.shared with a leading offset permutes vectors of 16 bytes over 8 rows",
            found=f"vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}",
            accepted=["vec = 128 / element bits, perPhase * maxPhase = 8"],
        )
    modern: _Fields = {
        "swizzlingByteWidth": 16 * max_phase,
        "transposed": order == (0, 1),
        "elementBitWidth": 128 // vec,
    }
    return modern | {key: value for key, value in fields.items() if key not in keys}
