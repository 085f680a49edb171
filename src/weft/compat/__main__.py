"""Let `import triton` find weft in every Python program of an environment.

python -m weft.compat path         print the folder to put in PYTHONPATH
python -m weft.compat install      from now on, WEFT_AS_TRITON=1 has this effect in this environment
python -m weft.compat uninstall    take that back

`install` writes one file, weft-as-triton.pth, to the environment's site-packages. Its line reads
the variable at each start of the interpreter, and does nothing where it is not set.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from weft.compat.as_triton import IMPORT_PATH, VARIABLE

_FILE = "weft-as-triton.pth"
_LINE = (
    f"""import os, sys; os.environ.get("{VARIABLE}") == "1" and sys.path.insert(0, {{path!r}})\n"""
)


def main(arguments: list[str]) -> int:
    """Run one of the commands above.

    Returns:
        The exit code.
    """
    file = Path(sysconfig.get_path("purelib")) / _FILE
    if arguments == ["path"]:
        print(IMPORT_PATH)
    elif arguments == ["install"]:
        file.write_text(_LINE.format(path=str(IMPORT_PATH)))
        print(f"wrote {file}; {VARIABLE}=1 now lets `import triton` find weft")
    elif arguments == ["uninstall"]:
        file.unlink(missing_ok=True)
        print(f"removed {file}")
    else:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
