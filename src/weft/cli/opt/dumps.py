"""Print the IR between passes, on stderr.

    // -----// IR Dump After Canonicalizer (canonicalize) //----- //
    module {
      …

The headings are MLIR's. weft's passes run on modules, so every dump is a whole module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from weft.cli.opt.diff import print_diff
from weft.cli.opt.flags import Options
from weft.ir.builtin import ModuleOp
from weft.passes import Pass
from weft.passes.titles import title

__all__ = ["PassDumper"]


class PassDumper:
    """Print the IR before and after passes, as the options request.

    Args:
        options: The options of the command line.
        text: Prints a module in the form of the output.
    """

    def __init__(self, options: Options, text: Callable[[ModuleOp], str]) -> None:
        self._options = options
        self._text = text
        self._compares = options.diff or options.after_change
        self._last: str | None = None

    def before(self, one: Pass, module: ModuleOp) -> None:
        """Print or remember the module before a pass."""
        options = self._options
        if self._compares and self._last is None:
            self._last = self._text(module)
        if options.before_all or one.name in options.before:
            self._dump("Before", one, self._last or self._text(module))

    def after(self, one: Pass, module: ModuleOp) -> None:
        """Print the module after a pass that succeeded."""
        options = self._options
        is_requested = options.after_all or one.name in options.after
        if options.after_change and not options.after:
            is_requested = True
        if not is_requested and not self._compares:
            return
        before, after = self._last, self._text(module)
        changed = after != before
        if self._compares:
            self._last = after
        if is_requested and (changed or not options.after_change):
            self._dump("After", one, after)
        if options.diff and changed and before is not None:
            print_diff(one.name, before, after)

    def failed(self, one: Pass, module: ModuleOp) -> None:
        """Print the module after a pass that failed or produced invalid IR."""
        options = self._options
        if options.after_failure or options.after_all or one.name in options.after:
            self._dump("After", one, self._text(module), " Failed")

    def _dump(self, when: str, one: Pass, text: str, outcome: str = "") -> None:
        scope = " ('builtin.module' operation)" if self._options.module_scope else ""
        heading = f"// -----// IR Dump {when} {title(one)}{outcome} ({one.name}){scope} //----- //"
        print(f"{heading}\n{text.rstrip()}\n\n", file=sys.stderr)
