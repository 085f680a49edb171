"""The sanitizer: run kernels and report what they do that has no defined result.

    sanitizer = Sanitizer()
    checked_kernel(module, "add").run(grid, arguments, observer=sanitizer)
    sanitizer.findings

finding.py     what was found, with source lines, as text and as JSON
shadow.py      which lanes of each value are undefined
transfer.py    which lanes of a result are undefined, by operation
undefined_results.py   which lanes an operation itself leaves undefined
uses.py        operations that must not use undefined lanes
compiler.py    compiles a kernel so that it computes shadows, too
memory.py      conflicting writes of programs, and reads of memory that nothing has written
sanitizer.py   the state of a sanitizer
"""

from weft.interpreter.sanitizer.compiler import checked_kernel
from weft.interpreter.sanitizer.finding import Finding
from weft.interpreter.sanitizer.memory import unwritten
from weft.interpreter.sanitizer.sanitizer import Sanitizer

__all__ = ["Finding", "Sanitizer", "checked_kernel", "unwritten"]
