"""`weft.search_space`: all hierarchical tilings by powers of two, for autotune to try.

    @weft.autotune(weft.search_space(("BLOCK_M", "BLOCK_N"), reduced=("BLOCK_K",)), key=["M"])

A tile is what one program computes. It is split into micro-tiles, one per warp, and these into
nano-tiles, one per lane:

    tile 64 × 128        micro-tile 32 × 32          nano-tile 2 × 4
    ┌────┬────┬────┬────┐  8 of them: num_warps=8      128 of them on 32 lanes, 4 each
    ├────┼────┼────┼────┤
    └────┴────┴────┴────┘

So each dimension has three sizes, all powers of two: 32 to 128 for the tile, 8 to 32 for the
micro-tile, 1 to 4 for the nano-tile. The search space holds every combination that the chip can
run: a part is not larger than the whole, the block does not have too many warps, every lane has a
nano-tile, and the operands of a dot fit into shared memory in all pipeline stages. If a kernel has
no parameters for the smaller tiles, only the tile and the number of warps affect its code, and each
such pair occurs once.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from weft.autotuner.config import Config
from weft.compiler.options import CPU, MAX_WARPS
from weft.errors import LaunchError
from weft.launch.devices import current_target
from weft.targets import Target
from weft.targets import target as find_target

__all__ = ["search_space"]

Range = tuple[int, int]
Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Tiling:
    """The sizes of one combination.

    Attributes:
        tile: Size of the tile in each split dimension.
        micro: Size of a micro-tile in each split dimension.
        nano: Size of a nano-tile in each split dimension.
        reduced: Size of the tile in each reduced dimension.
        stages: Depth of the software pipeline.
    """

    tile: Sizes
    micro: Sizes
    nano: Sizes
    reduced: Sizes
    stages: int

    @property
    def micro_tiles(self) -> int:
        """The number of micro-tiles of a tile, which is the number of warps."""
        return prod(tile // micro for tile, micro in zip(self.tile, self.micro, strict=True))

    @property
    def nano_tiles(self) -> int:
        """The number of nano-tiles of a micro-tile."""
        return prod(micro // nano for micro, nano in zip(self.micro, self.nano, strict=True))

    def operand_bytes(self, element_bytes: int) -> int:
        """Compute the shared memory of a dot's operands, one per split dimension."""
        if not self.reduced:
            return 0
        return sum(self.tile) * prod(self.reduced) * element_bytes * max(1, self.stages)

    def violation(self, chip: Target, element_bytes: int) -> str:
        """Describe why a chip cannot run this tiling; "" if it can."""
        if any(part > whole for part, whole in zip(self.micro, self.tile, strict=True)):
            return "a micro-tile larger than its tile"
        if any(part > whole for part, whole in zip(self.nano, self.micro, strict=True)):
            return "a nano-tile larger than its micro-tile"
        max_warps = min(MAX_WARPS, chip.max_threads_per_block // chip.threads_per_warp)
        if self.micro_tiles > max_warps:
            return f"more than {max_warps} warps in a block"
        if self.nano_tiles < chip.threads_per_warp:
            return f"fewer nano-tiles than the {chip.threads_per_warp} lanes of a warp"
        if chip.backend != CPU and self.operand_bytes(element_bytes) > chip.lds_bytes:
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
    fixed: Mapping[str, object] | None = None,
    target: str | Target | None = None,
) -> list[Config]:
    """List the configurations of all tilings that a chip can run, in the order of their sizes.

    Args:
        tile: The kernel's parameters for the size of the tile, one per dimension that its warps
            split.
        reduced: Parameters for dimensions that the warps do not split, such as K of a dot;
            `tile_sizes` is their range, too.
        micro: Parameters for the size of the micro-tile, one per parameter of `tile`. Without any,
            a micro-tile only determines the number of warps.
        nano: Parameters for the size of the nano-tile, one per parameter of `tile`.
        tile_sizes: Smallest and largest size of the tile, powers of two.
        micro_sizes: Smallest and largest size of the micro-tile, powers of two.
        nano_sizes: Smallest and largest size of the nano-tile, powers of two.
        num_stages: Depths of the software pipeline to try.
        element_bytes: Size of an element of a dot's operands.
        fixed: Parameters that are the same in all configurations.
        target: The chip; None for the device that launches go to.

    Raises:
        LaunchError: Sizes that are not powers of two, names that do not fit together, or no tiling
            that the chip can run.
    """
    _check_names(tile, reduced, micro, nano, fixed or {})
    ranges = {"tile_sizes": tile_sizes, "micro_sizes": micro_sizes, "nano_sizes": nano_sizes}
    tiles, micros, nanos = (_powers_of_two(name, sizes) for name, sizes in ranges.items())
    chip = _chip(target)
    violations: Counter[str] = Counter()
    configs: dict[tuple[object, ...], Config] = {}
    for tiling in _tilings(len(tile), len(reduced), (tiles, micros, nanos), num_stages):
        if violation := tiling.violation(chip, element_bytes):
            violations[violation] += 1
            continue
        sizes = {
            **dict(zip((*tile, *reduced), (*tiling.tile, *tiling.reduced), strict=True)),
            **(dict(zip(micro, tiling.micro, strict=True)) if micro else {}),
            **(dict(zip(nano, tiling.nano, strict=True)) if nano else {}),
        }
        # Tilings that differ only in sizes without a parameter have the same code.
        key = (*sizes.values(), tiling.micro_tiles, tiling.stages)
        if key not in configs:
            kwargs = {**sizes, **(fixed or {})}
            configs[key] = Config(kwargs, num_warps=tiling.micro_tiles, num_stages=tiling.stages)
    if not configs:
        raise LaunchError(
            f"{chip} can run no tiling of this search space",
            found=", ".join(f"{count} with {text}" for text, count in violations.most_common()),
        )
    return list(configs.values())


def _tilings(
    split_count: int,
    reduced_count: int,
    sizes: tuple[Sizes, Sizes, Sizes],
    num_stages: Iterable[int],
) -> Iterator[_Tiling]:
    tiles, micros, nanos = sizes
    for parts in itertools.product(
        itertools.product(tiles, repeat=split_count),
        itertools.product(micros, repeat=split_count),
        itertools.product(nanos, repeat=split_count),
        itertools.product(tiles, repeat=reduced_count),
        num_stages,
    ):
        yield _Tiling(*parts)


def _powers_of_two(name: str, sizes: Range) -> Sizes:
    low, high = sizes
    if not 0 < low <= high or low.bit_count() != 1 or high.bit_count() != 1:
        raise LaunchError(
            f"{name} of search_space must be a range of powers of two",
            found=repr(sizes),
            accepted=["(smallest, largest), such as (32, 128)"],
        )
    return tuple(1 << n for n in range(low.bit_length() - 1, high.bit_length()))


def _check_names(
    tile: Sequence[str],
    reduced: Sequence[str],
    micro: Sequence[str],
    nano: Sequence[str],
    fixed: Mapping[str, object],
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
                f"search_space needs one {name} parameter per tile parameter",
                found=", ".join(names),
                accepted=[f"{len(tile)} names", "none"],
            )
    counts = Counter([*tile, *reduced, *micro, *nano, *fixed])
    duplicates = [name for name, count in counts.items() if count > 1]
    if duplicates:
        raise LaunchError(
            "search_space sets a parameter more than once", found=", ".join(duplicates)
        )


def _chip(target: str | Target | None) -> Target:
    if isinstance(target, Target):
        return target
    return current_target() if target is None else find_target(target)
