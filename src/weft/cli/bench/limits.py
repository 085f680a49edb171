"""Whose limits times are held against: the board that is there, or one that is named."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import UnknownTargetError, WeftError
from weft.launch.drivers.cuda.driver import CudaDriver
from weft.targets import target
from weft.targets.boards import Board, board, boards, known_boards

__all__ = ["Limits", "limits_of"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Whose limits times are held against.

    board: None where none is known.  is_here: whether it is the device that is measured.
    """

    board: Board | None
    is_here: bool


def limits_of(wanted: str | None, gpu: int | None) -> Limits:
    """Return the limits to hold times against: of the GPU, or of what was asked for.

    Args: wanted: a board's name, a driver's name for one, or a chip, which stands for the first
          of its boards; None for the GPU itself.
    Raises: UnknownTargetError: there is no such board or chip.  WeftError: none with that chip.
    """
    here = None if gpu is None else _board_here(gpu)
    if wanted is None:
        return Limits(here, is_here=True)
    chosen = _board_of(wanted)
    if chosen is None:
        with_chip = boards(wanted) if _is_chip(wanted) else (board(wanted),)
        if not with_chip:
            raise WeftError(
                f"no limits are known of a board with {wanted}",
                found=wanted,
                accepted=[each.name for each in known_boards()],
            )
        chosen = here if here in with_chip else with_chip[0]
    return Limits(chosen, is_here=chosen is here)


def _board_here(gpu: int) -> Board | None:
    """Return the board of a GPU; of one without a row, what its driver says of memory."""
    driver = CudaDriver.get()
    name = driver.device_name(gpu)
    found = _board_of(name)
    if found is not None:
        return found
    clock = driver.attribute(gpu, "MEMORY_CLOCK_RATE")  # kHz; memory answers twice in each
    width = driver.attribute(gpu, "GLOBAL_MEMORY_BUS_WIDTH")  # bits
    rate = 2 * clock * 1e3 * width // 8 * 1e-9
    return Board(name, (name,), int(rate), source="its driver") if rate else None


def _board_of(name: str) -> Board | None:
    found = (each for each in known_boards() if name in (each.name, *each.driver_names))
    return next(found, None)


def _is_chip(name: str) -> bool:
    try:
        target(name)
    except UnknownTargetError:
        return False
    return True
