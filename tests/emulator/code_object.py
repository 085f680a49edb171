"""Run a code object in tinygrad's emulator of AMD GPUs.

The emulator's instructions are generated from the pseudocode of AMD's ISA documents. It is in
tinygrad's test folder, which the package on PyPI lacks; AMD_EMULATOR names a folder with a copy of
tinygrad's repository, tried at a9069c177a. It compiles each instruction with clang.

Source of the kernel descriptor: LLVM, "User Guide for AMDGPU Backend", section "Kernel Descriptor".
"""

from __future__ import annotations

import os
import re
import struct
import sys
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tests.emulator.corrections.decoding import ARCHITECTURES
from tests.emulator.corrections.installation import install

__all__ = ["ARCHITECTURES", "VARIABLE", "CodeObject", "EmulatorGap", "launch", "read_code_object"]

VARIABLE = "AMD_EMULATOR"
_DESCRIPTOR_BYTES = 64
_LDS_SHIFT, _LDS_MASK, _LDS_GRANULE = 15, 0x1FF, 512  # GRANULATED_LDS_SIZE of compute_pgm_rsrc2
# What the emulator raises for an instruction or a form of one that it lacks.
_GAPS = ("unknown ", "[emu] Failed to compile")
_INSTRUCTION = re.compile(r"Failed to compile (\w+)")
_WORD = re.compile(r"unknown \w+ format word=(\w+)")
_DPP_CONTROL = re.compile(r"DPP16 control \w+ \((\w+)")


class EmulatorGap(Exception):
    """The emulator lacks an instruction."""


@dataclass(frozen=True, slots=True)
class CodeObject:
    """The code object of one kernel (hsaco), loaded into memory.

    Attributes:
        memory: The segments at their addresses.
        text: First and last address of the code, the last one excluded.
        entry: Address of the first instruction.
        group_bytes: Static LDS of a workgroup.
        private_bytes: Scratch memory of a lane.
        argument_bytes: Size of the kernel arguments.
        rsrc2: The register compute_pgm_rsrc2.
        properties: kernel_code_properties, which names the user SGPRs.
        preload: kernarg_preload, arguments that user SGPRs hold.
        hidden: Offsets of the implicit arguments by kind, such as "hidden_block_count_x".
    """

    memory: NDArray[np.uint8]
    text: tuple[int, int]
    entry: int
    group_bytes: int
    private_bytes: int
    argument_bytes: int
    rsrc2: int
    properties: int
    preload: int
    hidden: dict[str, int] = field(default_factory=dict[str, int])


def read_code_object(image: bytes) -> CodeObject:
    """Load the code object of one kernel."""
    _import_path()
    from tinygrad.runtime.support.elf import elf_loader  # pyright: ignore[reportMissingImports]

    loaded, sections = elf_loader(image)[:2]
    headers = {each.name: each.header for each in sections}
    at, text = headers[".rodata"].sh_addr, headers[".text"]
    descriptor = bytes(loaded[at : at + _DESCRIPTOR_BYTES])
    group_bytes, private_bytes, argument_bytes = struct.unpack_from("<III", descriptor, 0)
    (entry,) = struct.unpack_from("<q", descriptor, 16)
    rsrc2, properties, preload = struct.unpack_from("<IHH", descriptor, 52)
    return CodeObject(
        np.frombuffer(bytes(loaded), np.uint8).copy(),
        (text.sh_addr, text.sh_addr + text.sh_size),
        at + entry,
        group_bytes,
        private_bytes,
        argument_bytes,
        rsrc2,
        properties,
        preload,
        _hidden_arguments(next(each.content for each in sections if each.name == ".note")),
    )


def _hidden_arguments(note: bytes) -> dict[str, int]:
    """Read the offsets of the implicit arguments in the metadata, a note with MessagePack."""
    name_bytes, description_bytes = struct.unpack_from("<II", note)
    start = 12 + -(-name_bytes // 4) * 4
    metadata = msgspec.msgpack.decode(note[start : start + description_bytes])
    arguments = metadata["amdhsa.kernels"][0].get(".args", [])
    return {
        each[".value_kind"]: each[".offset"]
        for each in arguments
        if each[".value_kind"].startswith("hidden_")
    }


def launch(
    chip: str,
    code: CodeObject,
    grid: tuple[int, int, int],
    threads: int,
    arguments: bytes,
    shared_bytes: int,
    causes: set[str] | None = None,
    is_corrected: bool = True,
) -> None:
    """Run every workgroup of a grid, one after the other.

    Args:
        chip: One of ARCHITECTURES.
        code: The kernel.
        grid: Workgroups along x, y and z.
        threads: Threads of a workgroup.
        arguments: The kernel arguments, laid out as the code object declares; pointers are
            addresses of this process.
        shared_bytes: Dynamic LDS of a workgroup.
        causes: Receives what the kernel uses that the emulator lacks or runs wrong.
        is_corrected: Whether corrections take the place of these instructions.

    Raises:
        EmulatorGap: The emulator lacks an instruction.
    """
    granules = -(-max(code.group_bytes, shared_bytes) // _LDS_GRANULE)
    rsrc2 = code.rsrc2 & ~(_LDS_MASK << _LDS_SHIFT) | min(granules, _LDS_MASK) << _LDS_SHIFT
    size = max(len(arguments), code.argument_bytes) + 64
    segment = np.zeros(-(-size // 8) * 8, np.uint8)
    segment[: len(arguments)] = np.frombuffer(arguments, np.uint8)
    for axis, blocks, lanes in zip("xyz", grid, (threads, 1, 1), strict=True):
        for kind, layout, value in (("block_count", "<I", blocks), ("group_size", "<H", lanes)):
            if offset := code.hidden.get(f"hidden_{kind}_{axis}"):
                struct.pack_into(layout, segment.data, offset, value)
    # hsa_kernel_dispatch_packet_t: the setup, sizes of a workgroup and of the grid in threads
    packet = np.zeros(64, np.uint8)
    sizes = struct.pack("<HHHHHHIII", 0, 1, threads, 1, 1, 0, grid[0] * threads, *grid[1:])
    packet[: len(sizes)] = np.frombuffer(sizes, np.uint8)
    user_sgprs = _user_sgprs(code, packet.ctypes.data, segment)
    start, size = code.memory.ctypes.data + code.entry, code.text[1] - code.entry
    observed_causes = set[str]() if causes is None else causes
    try:
        run_asm = _run_asm()
        with install(chip, observed_causes, is_corrected, is_delayed=is_corrected):
            run_asm(
                start, size, *grid, threads, 1, 1, segment.ctypes.data, rsrc2, code.private_bytes,
                ARCHITECTURES[chip], user_sgprs,
            )  # fmt: skip
    except (ValueError, RuntimeError) as error:
        if str(error).startswith(_GAPS):
            raise EmulatorGap(_name_gap(str(error))) from error
        raise


def _name_gap(message: str) -> str:
    """Find the instruction in a message of the emulator, without its registers."""
    name = _INSTRUCTION.search(message)
    control = _DPP_CONTROL.search(message)
    if control:
        return f"DPP {control[1]}"
    word = _WORD.search(message)
    if word:
        return f"an instruction that starts with {word[1][:6]}"  # the rest names registers
    return name[1] if name else message.splitlines()[0]


def _user_sgprs(code: CodeObject, packet: int, segment: NDArray[np.uint8]) -> list[int]:
    """Compute the SGPRs that the command processor sets up, but for the workgroup's number."""
    # Properties from bit 0: private segment buffer, dispatch packet, queue, kernel arguments,
    # dispatch id, flat scratch, private segment size. No kernel here reads those that are 0.
    values = (
        [0, 0, 0, 0], _halves(packet), [0, 0], _halves(segment.ctypes.data), [0, 0], [0, 0],
        [code.private_bytes],
    )  # fmt: skip
    enabled = [value for bit, value in enumerate(values) if code.properties >> bit & 1]
    count, first = code.preload & 0x7F, code.preload >> 7
    preloaded = segment.view(np.uint32)[first : first + count].tolist()
    return [half for value in enabled for half in value] + preloaded


def _halves(value: int) -> list[int]:
    return [value & 0xFFFFFFFF, value >> 32]


def _run_asm() -> Any:
    _import_path()
    from test.mockgpu.amd.emu import run_asm  # pyright: ignore[reportMissingImports]

    return run_asm


def _import_path() -> None:
    """Let Python find the copy of tinygrad's repository."""
    os.environ.setdefault("DEV", "CPU")
    root = os.environ[VARIABLE]
    if root not in sys.path:
        sys.path.insert(0, root)
