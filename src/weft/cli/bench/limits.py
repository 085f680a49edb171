"""The board whose limits apply: that of the GPU, or one that is named."""

from __future__ import annotations

from dataclasses import dataclass

from weft.errors import UnknownTargetError, WeftError
from weft.launch.drivers.active import active_driver
from weft.targets import target
from weft.targets.boards import Board, board, boards, known_boards

__all__ = ["Limits", "limits_of"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that times are compared with.

    Attributes:
        board: The board; None if none is known.
        is_measured: Whether the measured device is this board.
    """

    board: Board | None
    is_measured: bool


def limits_of(name: str | None, gpu: int | None) -> Limits:
    """Find the limits that times are compared with.

    Args:
        name: A board, a driver's name of one, or a chip, which selects the first of its boards;
            None for the board of the GPU.
        gpu: The number of the measured GPU; None for the CPU.

    Raises:
        UnknownTargetError: There is no such board or chip.
        WeftError: No board with that chip is known.
    """
    own = None if gpu is None else _board_of_gpu(gpu)
    if name is None:
        return Limits(own, is_measured=True)
    selected = _find_board(name)
    if selected is None:
        candidates = boards(name) if _is_chip(name) else (board(name),)
        if not candidates:
            raise WeftError(
                f"no board with {name} is known",
                found=name,
                accepted=[each.name for each in known_boards()],
            )
        selected = own if own in candidates else candidates[0]
    return Limits(selected, is_measured=selected is own)


def _board_of_gpu(gpu: int) -> Board | None:
    """Find the board of a GPU; an unknown one has the memory rate that its driver reports."""
    driver = active_driver()
    name = driver.device_name(gpu)
    known = _find_board(name)
    if known is not None:
        return known
    properties = driver.properties(gpu)
    # Two transfers per cycle.
    rate = 2 * properties.memory_clock_khz * 1e3 * properties.memory_bus_bits // 8 * 1e-9
    return Board(name, (name,), int(rate), source="its driver") if rate else None


def _find_board(name: str) -> Board | None:
    matches = (each for each in known_boards() if name in (each.name, *each.driver_names))
    return next(matches, None)


def _is_chip(name: str) -> bool:
    try:
        target(name)
    except UnknownTargetError:
        return False
    return True
