"""Show the IR between passes, on stderr.

    // -----// IR Dump After Canonicalizer (canonicalize) //----- //
    module {
      …

The heads are MLIR's; weft's passes run on whole modules, so every dump is one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from weft.cli.opt.diff import print_diff
from weft.cli.opt.flags import Options
from weft.cli.opt.names import title
from weft.ir.builtin import ModuleOp
from weft.passes import Pass

__all__ = ["Watch"]


class Watch:
    """Watch the passes over one module, as the options ask for.

    Args: text: prints a module in the form that the output will have.
    """

    def __init__(self, options: Options, text: Callable[[ModuleOp], str]) -> None:
        self._options = options
        self._text = text
        self._compares = options.diff or options.after_change
        self._last: str | None = None

    def before(self, one: Pass, module: ModuleOp) -> None:
        """See a module before a pass."""
        options = self._options
        if self._compares and self._last is None:
            self._last = self._text(module)
        if options.before_all or one.name in options.before:
            self._dump("Before", one, self._last or self._text(module))

    def after(self, one: Pass, module: ModuleOp) -> None:
        """See a module after a pass that succeeded."""
        options = self._options
        wanted = options.after_all or one.name in options.after
        if options.after_change and not options.after:
            wanted = True
        if not wanted and not self._compares:
            return
        was, now = self._last, self._text(module)
        changed = now != was
        if self._compares:
            self._last = now
        if wanted and (changed or not options.after_change):
            self._dump("After", one, now)
        if options.diff and changed and was is not None:
            print_diff(one.name, was, now)

    def failed(self, one: Pass, module: ModuleOp) -> None:
        """See a module that a pass has given up, or left illegal."""
        options = self._options
        if options.after_failure or options.after_all or one.name in options.after:
            self._dump("After", one, self._text(module), " Failed")

    def _dump(self, when: str, one: Pass, text: str, outcome: str = "") -> None:
        scope = " ('builtin.module' operation)" if self._options.module_scope else ""
        head = f"// -----// IR Dump {when} {title(one)}{outcome} ({one.name}){scope} //----- //"
        print(f"{head}\n{text.rstrip()}\n\n", file=sys.stderr)
