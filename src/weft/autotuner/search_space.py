"""`weft.search_space`: every hierarchical tiling by powers of two, for autotune to try.

    @weft.autotune(weft.search_space(("BLOCK_M", "BLOCK_N"), reduced=("BLOCK_K",)), key=["M"])

A tile is what one program computes. It is split into micro-tiles, one for each warp, and these
into nano-tiles, which one lane of the warp holds:

    tile 64 × 128        micro-tile 32 × 32          nano-tile 2 × 4
    ┌────┬────┬────┬────┐  8 of them: num_warps=8      128 of them on 32 lanes, 4 each
    ├────┼────┼────┼────┤
    └────┴────┴────┴────┘

Each dimension has three sizes then, all powers of two: 32 to 128 for the tile, 8 to 32 for the
micro-tile, 1 to 4 for the nano-tile. All combinations are formed, and those are left out that no
chip can run as they are meant: a part must not be larger than the whole, a block has only so many
warps, every lane of a warp must have a nano-tile of its own, and the operands of a product, all
stages of them, must fit into shared memory. A kernel that has no parameters for the smaller tiles
is compiled to other code only by the tile and the number of warps: each such pair comes once.
Source: seed 004, auto-tuner.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from weft.autotuner.config import Config
from weft.compiler.options import CPU, MOST_WARPS
from weft.errors import LaunchError
from weft.launch.devices import current_gpu
from weft.launch.drivers.cuda.driver import CudaDriver

if TYPE_CHECKING:
    from weft.targets import Target

__all__ = ["search_space"]

Range = tuple[int, int]
Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Tiling:
    """The sizes of one combination: those of each dimension that is split, then of the reduced."""

    tile: Sizes
    micro: Sizes
    nano: Sizes
    reduced: Sizes
    stages: int

    @property
    def warps(self) -> int:
        """Return the micro-tiles of a tile."""
        return prod(tile // micro for tile, micro in zip(self.tile, self.micro, strict=True))

    @property
    def lanes(self) -> int:
        """Return the nano-tiles of a micro-tile."""
        return prod(micro // nano for micro, nano in zip(self.micro, self.nano, strict=True))

    def buffer_bytes(self, element_bytes: int) -> int:
        """Return what the operands of a product take, a stage each: one per split dimension."""
        if not self.reduced:
            return 0
        return sum(self.tile) * prod(self.reduced) * element_bytes * max(1, self.stages)

    def wrong(self, chip: Target, element_bytes: int) -> str:
        """Return why this cannot run as it is meant, "" if it can."""
        if any(part > whole for part, whole in zip(self.micro, self.tile, strict=True)):
            return "a micro-tile larger than its tile"
        if any(part > whole for part, whole in zip(self.nano, self.micro, strict=True)):
            return "a nano-tile larger than its micro-tile"
        most = min(MOST_WARPS, chip.max_threads_per_block // chip.threads_per_warp)
        if self.warps > most:
            return f"more than {most} warps in a block"
        if self.lanes < chip.threads_per_warp:
            return f"fewer nano-tiles than the {chip.threads_per_warp} lanes of a warp"
        if chip.backend != CPU and self.buffer_bytes(element_bytes) > chip.lds_bytes:
            return f"operands of more than {chip.lds_bytes} bytes"
        return ""


def search_space(
    tile: Sequence[str],
    *,
    reduced: Sequence[str] = (),
    micro: Sequence[str] = (),
    nano: Sequence[str] = (),
    tile_sizes: Range = (32, 128),
    micro_sizes: Range = (8, 32),
    nano_sizes: Range = (1, 4),
    num_stages: Sequence[int] = (3,),
    element_bytes: int = 2,
    fixed: Mapping[str, Any] | None = None,
    target: str | Target | None = None,
) -> list[Config]:
    """Return the configurations of every legal tiling.

    Args: tile: a kernel's parameters for the tile's sizes, one for each dimension that its warps
              split.  reduced: those for the sizes that they do not split, such as a product's K;
              tile_sizes holds for them too.
          micro, nano: parameters for the smaller tiles, one for each of `tile`; without any, a
              micro-tile only says how many warps there are, and the compiler places the elements.
          tile_sizes, micro_sizes, nano_sizes: smallest and largest, powers of two.
          num_stages: depths of the pipeline to try.  element_bytes: of a product's operands.
          fixed: parameters that are the same in all.
          target: the chip; the current GPU if not given, the embedded CPU device where there is
              none.
    Returns: configurations in the order of their sizes.
    Raises: LaunchError: sizes that are no powers of two, names that do not fit together, or a
            space in which nothing is legal.
    """
    _check_names(tile, reduced, micro, nano, fixed or {})
    tiles, micros, nanos = (
        _powers(name, sizes)
        for name, sizes in (
            ("tile_sizes", tile_sizes), ("micro_sizes", micro_sizes), ("nano_sizes", nano_sizes)
        )
    )  # fmt: skip
    chip = _chip(target)
    refused: Counter[str] = Counter()
    found: dict[tuple[object, ...], Config] = {}
    for tiling in _tilings(len(tile), len(reduced), (tiles, micros, nanos), num_stages):
        if wrong := tiling.wrong(chip, element_bytes):
            refused[wrong] += 1
            continue
        sizes = {
            **dict(zip((*tile, *reduced), (*tiling.tile, *tiling.reduced), strict=True)),
            **(dict(zip(micro, tiling.micro, strict=True)) if micro else {}),
            **(dict(zip(nano, tiling.nano, strict=True)) if nano else {}),
        }
        key = (*sizes.values(), tiling.warps, tiling.stages)
        if key not in found:
            kwargs = {**sizes, **(fixed or {})}
            found[key] = Config(kwargs, num_warps=tiling.warps, num_stages=tiling.stages)
    if not found:
        raise LaunchError(
            f"no tiling of this search space is legal on {chip}",
            found=", ".join(f"{count} with {why}" for why, count in refused.most_common()),
        )
    return list(found.values())


def _tilings(
    split: int, reduced: int, sizes: tuple[Sizes, Sizes, Sizes], num_stages: Sequence[int]
) -> Iterator[_Tiling]:
    tiles, micros, nanos = sizes
    for tile, micro, nano, rest, stages in itertools.product(
        itertools.product(tiles, repeat=split),
        itertools.product(micros, repeat=split),
        itertools.product(nanos, repeat=split),
        itertools.product(tiles, repeat=reduced),
        num_stages,
    ):
        yield _Tiling(tile, micro, nano, rest, stages)


def _powers(name: str, sizes: Range) -> Sizes:
    low, high = sizes
    if not 0 < low <= high or low & (low - 1) or high & (high - 1):
        raise LaunchError(
            f"{name} of search_space is no range of powers of two",
            found=repr(sizes),
            accepted=["(smallest, largest), such as (32, 128)"],
        )
    return tuple(1 << n for n in range(low.bit_length() - 1, high.bit_length()))


def _check_names(
    tile: Sequence[str],
    reduced: Sequence[str],
    micro: Sequence[str],
    nano: Sequence[str],
    fixed: Mapping[str, Any],
) -> None:
    if isinstance(tile, str) or not tile:
        raise LaunchError(
            "search_space needs the parameters of the tile's sizes",
            found=repr(tile),
            accepted=['("BLOCK_M", "BLOCK_N")'],
        )
    for name, names in (("micro", micro), ("nano", nano)):
        if names and len(names) != len(tile):
            raise LaunchError(
                f"search_space has another number of {name} parameters than of tile",
                found=", ".join(names),
                accepted=[f"{len(tile)} names", "none"],
            )
    twice = [name for name, n in Counter([*tile, *reduced, *micro, *nano, *fixed]).items() if n > 1]
    if twice:
        raise LaunchError("search_space sets a parameter twice", found=", ".join(twice))


def _chip(given: str | Target | None) -> Target:
    from weft.targets import Target, target

    if isinstance(given, Target):
        return given
    if given is not None:
        return target(given)
    gpu = current_gpu(used=False)
    return target(CPU if gpu is None else f"cuda:{CudaDriver.get().capability(gpu)}")
