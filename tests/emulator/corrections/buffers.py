"""Buffer instructions: memory that a descriptor in four SGPRs bounds.

The emulator has those of 4, 8 and 16 bytes on CDNA, and none on RDNA.

Sources: "AMD Instinct MI300", "RDNA3.5" and "RDNA4 Instruction Set Architecture", sections on
buffer addressing and range checking, and on loads to LDS.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.atomics import run_atomic
from tests.emulator.corrections.correction import Instruction, correction
from tests.emulator.corrections.memory_forms import MemoryForm, memory_form
from tests.emulator.corrections.wave import MEMORY, Wave

__all__ = ["is_lds_load"]

_CAUSE = "buffer instructions"
_ADDRESS_BITS = (1 << 48) - 1
_WORD = 4


def is_lds_load(instruction: Instruction) -> bool:
    """Check whether an instruction loads from memory to LDS."""
    return bool(instruction.flag("lds")) or "_LOAD_LDS_" in instruction.name


def _is_cdna(instruction: Instruction) -> bool:
    return instruction.chip.startswith("gfx9")


def _addresses(
    instruction: Instruction, wave: Wave, size: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Compute each lane's address, and which of its dwords are in bounds (a row per lane)."""
    fields = instruction.fields
    if instruction.flag("idxen"):
        raise NotImplementedError("a buffer with an index")
    is_rdna4 = hasattr(fields, "rsrc")
    descriptor = fields.rsrc if is_rdna4 else fields.srsrc.offset
    base = wave.scalar(descriptor) | wave.scalar(descriptor + 1) << 32
    offsets = np.full(wave.lanes, fields.ioffset if is_rdna4 else fields.offset, np.int64)
    if fields.offen:
        offsets += wave.vgpr[instruction.vector("vaddr")]
    starts = offsets[:, None] + np.arange(0, max(size, _WORD), _WORD)
    within = starts + min(size, _WORD) <= wave.scalar(descriptor + 2)
    start = (base & _ADDRESS_BITS) + wave.scalar(fields.soffset.offset)
    return start + offsets, within


@correction(
    _CAUSE,
    "gfx9.*",
    r"BUFFER_(LOAD|STORE)_(?!FORMAT).*",
    lambda each: memory_form(each.name).size not in (4, 8, 16) or is_lds_load(each),
)
@correction(_CAUSE, "gfx1.*", r"BUFFER_(LOAD|STORE)_(?!.*FORMAT).*")
def _transfer(instruction: Instruction, wave: Wave) -> None:
    form = memory_form(instruction.name)
    addresses, within = _addresses(instruction, wave, form.size)
    lanes = np.flatnonzero(wave.active)
    if form.is_store:
        _store(instruction, wave, form, addresses, within)
        return
    data = np.zeros((wave.lanes, max(form.size, _WORD)), np.uint8)
    width = min(form.size, _WORD)
    for n in range(within.shape[1]):
        reached = lanes[within[lanes, n]]
        columns = slice(n * _WORD, n * _WORD + width)
        data[reached, columns] = MEMORY.load(addresses[reached] + n * _WORD, width)
    if is_lds_load(instruction):
        start = (wave.m0 & 0xFFFF) + instruction.fields.offset
        for lane in lanes:
            at = start + int(lane) * data.shape[1]
            wave.lds[at : at + data.shape[1]] = data[lane]
        return
    first, acc = instruction.vector("vdata"), bool(instruction.flag("acc"))
    old = wave.source(256 + first, 1, acc)[0]
    wave.write(first, extend(data, form, old), acc)


def extend(
    data: NDArray[np.uint8], form: MemoryForm, old: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Compute the registers that a load writes.

    Args:
        data: The bytes of each lane, four at least.
        form: What is loaded.
        old: The register before, of which a load of a half leaves the other.
    """
    words = np.ascontiguousarray(data.view(np.uint32).T)
    if form.size >= _WORD:
        return words
    bits = form.size * 8
    value = words[0].astype(np.int64) & (1 << bits) - 1
    if form.is_signed:
        value = (value ^ 1 << bits - 1) - (1 << bits - 1)
    if form.half is None:
        return (value & 0xFFFFFFFF).astype(np.uint32)[None]
    shift = 16 * form.half
    other_half = old & np.uint32(0xFFFF << 16 - shift)
    return (other_half | ((value & 0xFFFF) << shift).astype(np.uint32))[None]


def _store(
    instruction: Instruction,
    wave: Wave,
    form: MemoryForm,
    addresses: NDArray[np.int64],
    within: NDArray[np.bool_],
) -> None:
    first, acc = instruction.vector("vdata"), bool(instruction.flag("acc"))
    words = wave.source(256 + first, within.shape[1], acc)
    if form.half:
        words = words >> np.uint32(16)
    data = np.ascontiguousarray(words.T).view(np.uint8)
    lanes, width = np.flatnonzero(wave.active), min(form.size, _WORD)
    for n in range(within.shape[1]):
        reached = lanes[within[lanes, n]]
        MEMORY.store(addresses[reached] + n * _WORD, data[reached, n * _WORD : n * _WORD + width])


@correction(_CAUSE, ".*", "BUFFER_ATOMIC_.*")
def _atomic(instruction: Instruction, wave: Wave) -> None:
    addresses, within = _addresses(instruction, wave, _WORD)
    run_atomic(instruction, wave, addresses, wave.active & within[:, 0], "vdata", "vdata")


@correction("loads from memory to LDS", "gfx9.*", "GLOBAL_LOAD_LDS_.*")
def _load_lds(instruction: Instruction, wave: Wave) -> None:
    from tests.emulator.corrections.atomics import global_addresses

    form = memory_form(instruction.name.replace("_LDS", ""))
    lanes = np.flatnonzero(wave.active)
    loaded = np.zeros((len(lanes), max(form.size, _WORD)), np.uint8)
    loaded[:, : form.size] = MEMORY.load(global_addresses(instruction, wave)[lanes], form.size)
    offset = instruction.fields.offset
    start = (wave.m0 & 0xFFFF) + (offset - 0x2000 if offset & 0x1000 else offset)
    for lane, row in zip(lanes, extend(loaded, form, np.zeros(1, np.uint32)).T, strict=True):
        data = np.ascontiguousarray(row).view(np.uint8)
        wave.lds[start + lane * len(data) : start + (lane + 1) * len(data)] = data
