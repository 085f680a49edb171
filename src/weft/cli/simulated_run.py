"""`weft run --simulate`: run a program whose launches the simulator of a chip runs."""

from __future__ import annotations

from collections.abc import Callable

from weft.cli.output import note
from weft.testing.simulation import Simulation, simulate

__all__ = ["run_simulated"]


def run_simulated(
    program: Callable[[], None],
    chip: str,
    *,
    counters: bool = False,
    as_json: bool = False,
    output: str = "-",
) -> None:
    """Run a program with simulated launches.

    Args:
        program: Runs the program.
        chip: The target.
        counters: Whether to report what the launches executed, by source line.
        as_json: Whether to report JSON.
        output: The file of the report; "-" for stderr, and for stdout with JSON.

    Raises:
        WeftError: A race, a deadlock, an access out of bounds, or another error of a launch.
    """
    with simulate(chip, counters=counters) as simulation:
        program()
    if counters:
        from weft.cli.simulated_counters import report_counters

        report_counters(simulation, as_json, output)
    _note_launches(simulation)


def _note_launches(simulation: Simulation) -> None:
    launches = simulation.launches
    programs = sum(x * y * z for x, y, z in (each.grid for each in launches))
    if not launches:
        note("nothing was simulated: the program launched no kernel")
        return
    note(
        f"simulated {len(launches)} launch{'' if len(launches) == 1 else 'es'} of {programs} "
        f"program{'' if programs == 1 else 's'} on {simulation.chip.name}: no race, no deadlock"
    )
