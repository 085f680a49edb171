"""Parse, verify, rewrite and print each part of an input."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from weft.cli.opt.diagnostics import check
from weft.cli.opt.dumps import PassDumper
from weft.cli.opt.flags import Options
from weft.cli.opt.listing import dump_pipeline
from weft.cli.opt.parts import first_line, parts, show_source
from weft.cli.opt.stages import stage_passes
from weft.cli.opt.timing import PassTimer
from weft.cli.output import read, report, warn, write
from weft.errors import Location, VerifyError, WeftError
from weft.ir.builtin import ModuleOp
from weft.ir.locations import position
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import violations
from weft.passes import Pass, parse_pipeline, run_pipeline
from weft.passes.diagnostics import Diagnostic, PassFailure, Severity, collect_diagnostics
from weft.passes.pipeline_text import format_pipeline
from weft.passes.reproducer import read_reproducer, write_reproducer
from weft.passes.titles import title

__all__ = ["Session"]


class Session:
    """A run of `weft opt` on one input.

    Raises:
        UnknownPassError: The pipeline names an unknown pass.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.passes = tuple(one for text in options.pipeline for one in parse_pipeline(text))
        self.name = "<stdin>" if options.file == "-" else options.file
        self.timer = PassTimer()
        self.text = ""

    def run(self) -> int:
        """Process the input.

        Returns:
            The exit code.

        Raises:
            WeftError: The input cannot be read, or the output cannot be written.
        """
        options = self.options
        if options.dump_pass_pipeline and not options.run_reproducer:
            dump_pipeline(self.passes)
        self.text = read(options.file)
        if not self.text.strip():
            warn("the input is empty: an empty module", Location(self.name, 1))
        outputs: list[str] = []
        failed = False
        for part in parts(self.text, options.split_input_file):
            output, diagnostics = self._process(part)
            if output is not None:
                outputs.append(output)
            failed |= self._report(part, diagnostics)
            failed |= output is None and not options.verify_diagnostics
        if outputs and (not failed or options.output == "-"):
            write(f"\n{options.output_split_marker}\n".join(outputs), options.output)
        if options.timing:
            self.timer.report(slowest_first=options.timing_display == "list")
        return int(failed)

    def _report(self, part: str, diagnostics: list[Diagnostic]) -> bool:
        """Print the diagnostics of a part, or check them; return whether there are errors."""
        level = self.options.verify_diagnostics
        if level:
            diagnostics = [
                Diagnostic(Severity.ERROR, error)
                for error in check(part, self.name, diagnostics, level)
            ]
        failed = False
        for diagnostic in diagnostics:
            show_source(diagnostic.error, self.text, self.name)
            if diagnostic.severity is Severity.ERROR:
                report(diagnostic.error)
                failed = True
            else:
                print(diagnostic, file=sys.stderr)
        return failed

    def _process(self, text: str) -> tuple[str | None, list[Diagnostic]]:
        """Rewrite a part; return its output, None if there is an error, and the diagnostics."""
        with collect_diagnostics() as diagnostics:
            try:
                return self._rewrite(text, diagnostics), diagnostics
            except WeftError as error:
                if error.location is None:
                    error.location = Location(self.name, first_line(text))
                diagnostics += _diagnostics(error)
                return None, diagnostics

    def _rewrite(self, text: str, diagnostics: list[Diagnostic]) -> str:
        """Rewrite a part; add all errors of the verifier but the last, which is raised."""
        timer = self.timer
        with timer.measure("Parser"):
            module = parse_module(
                text, self.name, allow_unregistered=self.options.allow_unregistered_dialect
            )
        with timer.measure("Verifier"):
            errors = list(violations(module))
        if errors:
            for error in errors[:-1]:
                diagnostics += _diagnostics(error)
            raise errors[-1]
        passes = (*self.passes, *stage_passes(self.options, module))
        verify_each = self.options.verify_each
        if self.options.run_reproducer:
            reproducer = read_reproducer(text)
            passes, verify_each = reproducer.passes, reproducer.verify_each
            if self.options.dump_pass_pipeline:
                dump_pipeline(passes)
        self._run_passes(passes, module, verify_each)
        with timer.measure("Output"):
            output = self._print(module)
        if self.options.verify_roundtrip:
            self._check_roundtrip(output)
        return output

    def _run_passes(self, passes: Sequence[Pass], module: ModuleOp, verify_each: bool) -> None:
        """Run passes; write a reproducer if one fails, and if the user wants it."""
        options, dumper = self.options, PassDumper(self.options, self._print)
        before, remaining = "", passes
        for index, one in enumerate(passes):
            if options.crash_reproducer and (not index or options.local_reproducer):
                before = print_module(module)
                remaining = (one,) if options.local_reproducer else passes
            try:
                self._run_pass(one, module, dumper, verify_each)
            except Exception as error:
                if options.crash_reproducer:
                    path = options.crash_reproducer
                    pipeline = format_pipeline(remaining)
                    write_reproducer(path, before, pipeline, verify_each=verify_each)
                    note = f"pipeline failed in {one.name}: reproducer generated at {path}"
                    if isinstance(error, WeftError):
                        error.notes.append(WeftError(note, location=position(module.location)))
                    else:
                        error.add_note(note)
                raise

    def _run_pass(self, one: Pass, module: ModuleOp, dumper: PassDumper, verify_each: bool) -> None:
        dumper.before(one, module)
        try:
            with self.timer.measure("Verifier", nested=title(one)) as nested_seconds:
                (timing,) = run_pipeline((one,), module, verify=verify_each)
                nested_seconds.append(timing.seconds)
        except WeftError as error:
            if error.location is None:
                error.location = position(module.location)
            dumper.failed(one, module)
            raise
        dumper.after(one, module)

    def _print(self, module: ModuleOp) -> str:
        options = self.options
        return print_module(
            module,
            locations=options.locations,
            names=options.names,
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
            "the output does not parse back to the same text",
            location=Location("<printed>", line, 1, source=first),
            found=second.strip(),
        )


def _diagnostics(error: WeftError) -> list[Diagnostic]:
    """List an error, after the error that caused it and before its notes."""
    cause = error.__cause__
    errors = (cause, error) if isinstance(cause, WeftError) else (error,)
    severity = Severity.WARNING if isinstance(error, PassFailure) else Severity.ERROR
    return [
        *(Diagnostic(severity, each) for each in errors),
        *(Diagnostic(Severity.NOTE, note) for note in error.notes),
    ]
