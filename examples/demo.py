"""Attention compiled for two GPUs that are not here, then run and checked on this CPU.

`make demo`, or `python examples/demo.py`. Each command that is shown is the one that is run.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

ROOT = Path(__file__).parents[1]
COMPILE = "weft compile examples/attention.py --case 0 --emit layouts --target"
STEPS = (
    ("compiled for an AMD MI300: which lane holds what, and where that changes", "hip:gfx942"),
    ("the same source for an NVIDIA H100", "cuda:90"),
    ("run on this machine, and compared with numpy", None),
)


def show(console: Console, title: str, command: str) -> float:
    """Print a command as typed, run it, and return the seconds it took."""
    console.print(Rule(f"[bold]{title}", align="left"))
    console.print(f"[dim]$[/] [bold cyan]{command}[/]\n", highlight=False)
    start = time.perf_counter()
    words = [sys.executable, "-m", *shlex.split(command)]
    subprocess.run(words, cwd=ROOT, check=True)
    console.print()
    return time.perf_counter() - start


def main() -> int:
    """Show the steps; return 1 where one of them failed."""
    console = Console()
    seconds = []
    try:
        for title, target in STEPS:
            command = f"{COMPILE} {target}" if target else "weft run examples/attention.py"
            seconds.append(show(console, title, command))
    except subprocess.CalledProcessError as error:
        console.print(f"[red]{shlex.join(error.cmd)} ended with {error.returncode}[/]")
        return 1
    console.print(Rule("[bold]what you saw", align="left"))
    console.print(
        f"One kernel, two GPUs that this machine does not have ({seconds[0]:.1f} s and "
        f"{seconds[1]:.1f} s),\nand its answers right on the CPU ({seconds[2]:.1f} s). "
        "Next: [bold]weft compile --help[/], README.md.",
        highlight=False,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
