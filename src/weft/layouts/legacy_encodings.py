"""Encodings as earlier releases of Triton wrote them, in the words of now.

    3.1 and before   #triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0],
                     hasLeadingOffset = true}>            is #ttg.nvmma_shared<{…}>
    2.x              #triton_gpu.mma<{…}>                 is #ttg.nvidia_mma<{…}>
                     #triton_gpu.mfma<{nonKDim = 32, …}>  is #ttg.amd_mfma<{instrShape = [32, 32]…}>
    3.3 and before   versionMajor, versionMinor           of #ttg.amd_mfma
    3.5 and before   CTAsPerCGA, CTASplitNum, CTAOrder    are CGALayout
    3.6 and before   warpsPerCTA                          of #ttg.amd_wmma is ctaLayout

`modern` takes the name and the keys as they were read, and gives those of now; what is of now
passes through. An older text says less in places: MFMA's instrShape has no K.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["DIALECTS", "NAMES", "modern"]

DIALECTS = {"triton_gpu": "ttg", "triton_nvidia_gpu": "ttng"}
# Names of then: the mnemonic of now. A leading offset makes a shared layout another encoding.
NAMES = {
    "blocked_layout": "blocked",
    "mma": "nvidia_mma",
    "mfma": "amd_mfma",
    "wmma": "amd_wmma",
    "shared": "swizzled_shared",
}
_CLUSTER = ("CTAsPerCGA", "CTASplitNum", "CTAOrder")
_ELEMENT_BITS = {"f32": 32, "i32": 32, "f64": 64}


def modern(name: str, fields: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the mnemonic and the keys of now.

    Args: name: the mnemonic, of then or of now.  fields: value by key, as it was read.
    Raises: LayoutError where the older keys contradict each other, or do not say enough.
    """
    mnemonic, found = NAMES.get(name, name), dict(fields)
    if any(key in found for key in _CLUSTER):
        cluster = {key: found.pop(key) for key in _CLUSTER if key in found}
        found["CGALayout"] = _cluster_vectors(cluster)
    if mnemonic == "swizzled_shared" and found.pop("hasLeadingOffset", False):
        return "nvmma_shared", _leading_offset(found)
    change = _CHANGES.get(mnemonic)
    if change is not None:
        change(found)
    return mnemonic, found


def _integers(key: str, value: Any) -> tuple[int, ...]:
    """Return a list of integers, checked."""
    if not isinstance(value, tuple | list) or not all(type(item) is int for item in value):
        raise LayoutError(f"{key} must be a list of integers", found=value)
    return tuple(value)


def _mfma(fields: dict[str, Any]) -> None:
    if "versionMajor" in fields:
        fields.setdefault("version", fields.pop("versionMajor"))
        fields.pop("versionMinor", None)
    if "nonKDim" in fields:
        side = fields.pop("nonKDim")
        fields.setdefault("instrShape", (side, side))
        fields.setdefault("version", 1)
    if "elementType" in fields:
        element = fields.pop("elementType")
        if element not in _ELEMENT_BITS:
            raise LayoutError(
                "elementType must be the type of an MFMA's result",
                found=element,
                accepted=_ELEMENT_BITS,
            )
        fields["elementBitWidth"] = _ELEMENT_BITS[element]


def _wmma(fields: dict[str, Any]) -> None:
    if "warpsPerCTA" not in fields:
        return
    fields.setdefault("version", 1)
    warps = _integers("warpsPerCTA", fields.pop("warpsPerCTA"))
    if "ctaLayout" in fields:
        raise LayoutError(
            "#ttg.amd_wmma takes warpsPerCTA of then or ctaLayout of now, not both",
            found=", ".join(fields),
        )
    for count in warps:
        if not is_power_of_two(count):
            raise LayoutError("warpsPerCTA must hold powers of two", found=list(warps))
    rank = len(warps)
    vectors = [
        tuple(1 << bit if d == dim else 0 for d in range(rank))
        for dim in reversed(range(rank))
        for bit in range(warps[dim].bit_length() - 1)
    ]
    fields["ctaLayout"] = {"warp": tuple(vectors)}
    fields.setdefault("rank", rank)


def _tensor_memory(fields: dict[str, Any]) -> None:
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


_CHANGES = {"amd_mfma": _mfma, "amd_wmma": _wmma, "tensor_memory_encoding": _tensor_memory}


def _cluster_vectors(fields: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
    """Return basis vectors over the blocks: CTASplitNum apart, the others hold the same part."""
    blocks = _integers("CTAsPerCGA", fields.get("CTAsPerCGA", ()))
    splits = _integers("CTASplitNum", fields.get("CTASplitNum", blocks))
    order = _integers("CTAOrder", fields.get("CTAOrder", (*reversed(range(len(blocks))),)))
    rank = len(blocks)
    if not rank or len(splits) != rank or sorted(order) != list(range(rank)):
        raise LayoutError(
            "CTAsPerCGA, CTASplitNum and CTAOrder must speak of the same dimensions",
            found=", ".join(f"{key} = {list(value)}" for key, value in fields.items()),
        )
    for count, split in zip(blocks, splits, strict=True):
        if not is_power_of_two(count) or not is_power_of_two(split) or split > count:
            raise LayoutError(
                "CTAsPerCGA and CTASplitNum must be powers of two, the second not above the first",
                found=f"{list(blocks)}, {list(splits)}",
            )
    vectors: list[tuple[int, ...]] = []
    for dim in order:
        bits, used = blocks[dim].bit_length() - 1, splits[dim].bit_length() - 1
        for bit in range(bits):
            step = 1 << bit if bit < used else 0
            vectors.append(tuple(step if d == dim else 0 for d in range(rank)))
    return tuple(vectors)


def _leading_offset(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of nvmma_shared: 16-byte vectors, exchanged over 16 * maxPhase bytes."""
    keys = ("vec", "perPhase", "maxPhase", "order")
    for key in keys:
        if key not in fields:
            raise LayoutError(f"#triton_gpu.shared: {key} is missing", accepted=keys)
    vec, per_phase, most = fields["vec"], fields["perPhase"], fields["maxPhase"]
    if not type(vec) is type(per_phase) is type(most) is int:
        raise LayoutError("vec, perPhase and maxPhase must be integers", found=fields)
    order = _integers("order", fields["order"])
    if per_phase * most != 8 or vec not in (1, 2, 4, 8, 16) or len(order) != 2:
        raise LayoutError(
            "#triton_gpu.shared with a leading offset exchanges vectors of 16 bytes over 8 rows",
            found=f"vec = {vec}, perPhase = {per_phase}, maxPhase = {most}",
            accepted=["vec = 128 / element bits, perPhase * maxPhase = 8"],
        )
    made = {
        "swizzlingByteWidth": 16 * most,
        "transposed": tuple(order) == (0, 1),
        "elementBitWidth": 128 // vec,
    }
    return made | {key: value for key, value in fields.items() if key not in keys}
