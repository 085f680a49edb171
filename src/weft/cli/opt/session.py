"""Read, check, rewrite and print every part of an input."""

from __future__ import annotations

from weft.cli.opt.diagnostics import Diagnostic, Severity, check
from weft.cli.opt.dumps import Watch
from weft.cli.opt.flags import Options
from weft.cli.opt.listing import dump_pipeline
from weft.cli.opt.names import title
from weft.cli.opt.parts import first_line, parts, show_source
from weft.cli.opt.stages import stage_passes
from weft.cli.opt.timing import Clock
from weft.cli.report import read, report, warn, write
from weft.errors import Location, VerifyError, WeftError
from weft.ir.builtin import ModuleOp
from weft.ir.locations import position
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify
from weft.passes import Pass, parse_pipeline, run_pipeline

__all__ = ["Session"]


class Session:
    """One run of `weft opt` over one input.

    Raises: UnknownPassError: from its pipeline.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.passes = tuple(one for text in options.pipeline for one in parse_pipeline(text))
        self.name = "<stdin>" if options.file == "-" else options.file
        self.clock = Clock()
        self.text = ""

    def run(self) -> int:
        """Process the input; return the exit code.

        Raises: WeftError: the input cannot be read, or the output not be written.
        """
        options = self.options
        if options.dump_pass_pipeline:
            dump_pipeline(self.passes)
        self.text = read(options.file)
        if not self.text.strip():
            warn("the input is empty, which is an empty module", Location(self.name, 1))
        printed: list[str] = []
        failed = False
        for part in parts(self.text, options.split_input_file):
            output, met = self._part(part)
            if output is not None:
                printed.append(output)
            failed |= self._report(part, met)
        if printed and (not failed or options.output == "-"):
            write(f"\n{options.output_split_marker}\n".join(printed), options.output)
        if options.timing:
            self.clock.report(slowest_first=options.timing_display == "list")
        return int(failed)

    def _report(self, part: str, met: list[Diagnostic]) -> bool:
        """Print what is wrong with a part; tell whether anything is."""
        level = self.options.verify_diagnostics
        wrong = check(part, self.name, met, level) if level else [one.error for one in met]
        for error in wrong:
            show_source(error, self.text, self.name)
            report(error)
        return bool(wrong)

    def _part(self, text: str) -> tuple[str | None, list[Diagnostic]]:
        """Return what becomes of one part, None where it ends in an error, and that error."""
        try:
            return self._rewritten(text), []
        except WeftError as error:
            if error.location is None:
                error.location = Location(self.name, first_line(text))
            return None, [Diagnostic(Severity.ERROR, error)]

    def _rewritten(self, text: str) -> str:
        clock = self.clock
        with clock.measure("Parser"):
            module = parse_module(
                text, self.name, allow_unregistered=self.options.allow_unregistered_dialect
            )
        with clock.measure("Verifier"):
            verify(module)
        watch = Watch(self.options, self._print)
        for one in (*self.passes, *stage_passes(self.options, module)):
            self._pass(one, module, watch)
        with clock.measure("Output"):
            output = self._print(module)
        if self.options.verify_roundtrip:
            self._check_roundtrip(output)
        return output

    def _pass(self, one: Pass, module: ModuleOp, watch: Watch) -> None:
        watch.before(one, module)
        try:
            with self.clock.measure("Verifier", less=title(one)) as inner:
                (timing,) = run_pipeline((one,), module, verify=self.options.verify_each)
                inner.append(timing.seconds)
        except WeftError as error:
            if error.location is None:
                error.location = position(module.location)
            watch.failed(one, module)
            raise
        watch.after(one, module)

    def _print(self, module: ModuleOp) -> str:
        options = self.options
        return print_module(
            module,
            locations=options.locations,
            generic=options.generic,
            local_scope=options.local_scope,
        )

    def _check_roundtrip(self, output: str) -> None:
        again = self._print(
            parse_module(
                output, "<printed>", allow_unregistered=self.options.allow_unregistered_dialect
            )
        )
        if again == output:
            return
        pairs = zip(output.splitlines(), again.splitlines(), strict=False)
        line, (first, second) = next(
            (number, pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]
        )
        raise VerifyError(
            "what is printed does not read back to the same text",
            location=Location("<printed>", line, 1, source=first),
            found=second.strip(),
        )
