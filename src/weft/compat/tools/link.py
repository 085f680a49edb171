"""`triton.tools.link`: combine kernels that `triton.tools.compile` wrote as C files.

    python -m triton.tools.link matmul_*.h -o matmul

writes matmul.h and matmul.c. The kernels of one source with the same constants and options are one
*algorithm*; a function per algorithm calls the most specialized kernel that the arguments allow:

    CUresult matmul(CUstream stream, …, int algo_id);      calls the algorithm of a number
    CUresult matmul_default(CUstream stream, …);           calls algorithm 0
    int matmul_get_num_algos(void);
    void load_matmul(void);  void unload_matmul(void);

Functions and names are those of Triton 3.7.1.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.compat.tools.c_launchers import LINK_PRELUDES
from weft.errors import WeftError

__all__ = [
    "HeaderParser",
    "KernelLinkerMeta",
    "LinkerError",
    "desc",
    "gen_signature",
    "gen_signature_with_full_args",
    "main",
    "make_algo_decls",
    "make_default_algo_kernel",
    "make_func_pointers",
    "make_get_num_algos_decl",
    "make_get_num_algos_def",
    "make_global_decl",
    "make_kernel_hints_dispatcher",
    "make_kernel_load_def",
    "make_kernel_meta_const_dispatcher",
]

desc = "Write C functions that call the most specialized of compiled kernels."

_SIZES = {"c": 1, "d": 16}
_MODES = ("load", "unload")


class LinkerError(WeftError):
    """A header that `triton.tools.compile` did not write, or two that do not fit."""


@dataclass
class KernelLinkerMeta:
    """A compiled kernel.

    Attributes:
        orig_kernel_name: The name of the C function without digest.
        arg_names: The arguments, those that are 1 included.
        arg_ctypes: Their types in C.
        sizes: What each argument is: 1, divisible by 16, or None for any number.
        sig_hash: The digest of the signature and options.
        triton_suffix: The letters of the specialized arguments: "0d1d3c".
        suffix: The same.
        num_specs: The number of specialized arguments.
    """

    orig_kernel_name: str
    arg_names: Sequence[str]
    arg_ctypes: Sequence[str]
    sizes: Sequence[int | None]
    sig_hash: str
    triton_suffix: str
    suffix: str
    num_specs: int

    @property
    def function(self) -> str:
        """The C function."""
        return f"{self.orig_kernel_name}_{self.sig_hash}_{self.suffix}"

    @property
    def condition(self) -> str:
        """A C expression: whether the kernel is right for the arguments."""
        checks = [
            f"({name} == 1)" if size == 1 else f"((uintptr_t){name} % {size} == 0)"
            for name, size in zip(self.arg_names, self.sizes, strict=True)
            if size is not None
        ]
        return " && ".join(checks) or "1"


class HeaderParser:
    """Reads the comments of headers.

    Attributes:
        kernels: The kernels by algorithm.
        backend_name: "cuda" or "hip"; None before a header is read.
        linker_directives: Matches the comment with a kernel.
        backend_name_re: Matches the comment with the back end.
        positions_re: Matches the comment with the positions of a kernel's arguments.
        kernel_name: Matches the name of a C function.
        c_sig: Matches a parameter.
        arg_suffix: Matches the letter of a specialized argument.
    """

    def __init__(self) -> None:
        self.linker_directives = re.compile(r"//\s*tt-linker:\s*(\w+):(.+):(.+)")
        self.backend_name_re = re.compile(r"//\s*tt-linker-backend:\s*(\w+)")
        self.positions_re = re.compile(r"//\s*tt-linker-positions:\s*([\d ]*)")
        self.kernel_name = re.compile(r"^(\w+)_(\w+)_(\w*)$")
        self.c_sig = re.compile(r"\s*(\w+)\s(\w+),?")
        self.arg_suffix = re.compile("[cd]")
        self.kernels: defaultdict[str, list[KernelLinkerMeta]] = defaultdict(list)
        self.backend_name: str | None = None
        self._positions: list[int] = []

    def extract_linker_meta(self, header: str) -> None:
        """Read the kernels of a header.

        Raises:
            LinkerError: Headers that differ in back end or in a kernel's types, or a comment with
                a name or signature that cannot be read.
        """
        self._positions = []
        for line in header.splitlines():
            if match := self.linker_directives.match(line):
                self._add_kernel(*match.groups())
            elif match := self.positions_re.match(line):
                self._positions = [int(each) for each in match[1].split()]
            elif match := self.backend_name_re.match(line):
                if self.backend_name not in (None, match[1]):
                    raise LinkerError(f"differing backend {self.backend_name} vs. {match[1]}")
                self.backend_name = match[1]

    def _add_kernel(self, function: str, c_signature: str, algorithm: str) -> None:
        parts = self.kernel_name.match(function)
        if parts is None:
            raise LinkerError(f"{function} is not a valid kernel name")
        name, digest, suffix = parts.groups()
        parameters = self.c_sig.findall(c_signature)
        if not parameters:
            raise LinkerError(f"{c_signature} is not a valid argument signature")
        types, names = [each for each, _ in parameters], [each for _, each in parameters]
        positions = self._positions or list(range(len(names)))
        if len(positions) != len(names):
            raise LinkerError(
                f"{function} has {len(names)} arguments, but other positions", found=positions
            )
        sizes = self._sizes(suffix, positions)
        count = sum(each is not None for each in sizes)
        kernel = KernelLinkerMeta(name, names, types, sizes, digest, suffix, suffix, count)
        others = self.kernels[f"{name}_{algorithm}"]
        if others and others[-1].arg_ctypes != types:
            raise LinkerError(
                f"Mismatched signature for kernel {name}_{algorithm}",
                found=", ".join(types),
                accepted=[", ".join(others[-1].arg_ctypes)],
            )
        others.append(kernel)

    def _sizes(self, suffix: str, positions: Sequence[int]) -> list[int | None]:
        """Read the letters of specialized arguments.

        Args:
            suffix: "0d3c": parameter 0 is divisible by 16, parameter 3 is 1.
            positions: The parameter of each argument; they differ if there are constants before it.
        """
        letters = {int(number): letter for number, letter in re.findall(r"(\d+)([cd])", suffix)}
        if extra := letters.keys() - set(positions):
            raise LinkerError(f"Has invalid extra suffix: {suffix}", found=sorted(extra))
        return [_SIZES[letters[each]] if each in letters else None for each in positions]


def gen_signature_with_full_args(m: KernelLinkerMeta) -> str:
    """Write the parameters of an algorithm: those that are 1 included."""
    return _parameters(m, m.arg_names)


def gen_signature(m: KernelLinkerMeta) -> str:
    """Write the parameters of a kernel."""
    return _parameters(m, _runtime_arguments(m))


def _parameters(meta: KernelLinkerMeta, names: Iterable[str]) -> str:
    types = dict(zip(meta.arg_names, meta.arg_ctypes, strict=True))
    return ", ".join(f"{types[name]} {name}" for name in names)


def _runtime_arguments(meta: KernelLinkerMeta) -> list[str]:
    return [name for name, size in zip(meta.arg_names, meta.sizes, strict=True) if size != 1]


def make_algo_decls(name: str, metas: Sequence[KernelLinkerMeta]) -> str:
    """Declare the functions of an algorithm."""
    parameters = gen_signature_with_full_args(metas[-1])
    return (
        f"TT_ResultTy {name}(TT_StreamTy stream, {parameters});\n"
        f"void load_{name}(void);\nvoid unload_{name}(void);\n"
    )


def make_global_decl(meta: KernelLinkerMeta) -> str:
    """Declare the functions that choose an algorithm."""
    name, parameters = meta.orig_kernel_name, gen_signature_with_full_args(meta)
    return (
        f"TT_ResultTy {name}_default(TT_StreamTy stream, {parameters});\n"
        f"TT_ResultTy {name}(TT_StreamTy stream, {parameters}, int algo_id);\n"
        f"void load_{name}(void);\nvoid unload_{name}(void);\n"
    )


def make_default_algo_kernel(meta: KernelLinkerMeta) -> str:
    """Define the function that calls algorithm 0."""
    name, parameters = meta.orig_kernel_name, gen_signature_with_full_args(meta)
    return (
        f"TT_ResultTy {name}_default(TT_StreamTy stream, {parameters}) {{\n"
        f"  return {name}(stream, {', '.join(meta.arg_names)}, 0);\n}}\n"
    )


def make_kernel_hints_dispatcher(name: str, metas: Sequence[KernelLinkerMeta]) -> str:
    """Define the function of an algorithm, and those that load and unload its kernels."""
    # The first kernel whose conditions hold is the one with the most of them.
    kernels = sorted(metas, key=lambda meta: -meta.num_specs)
    lines: list[str] = []
    for meta in kernels:
        lines.append(f"TT_ResultTy {meta.function}(TT_StreamTy stream, {gen_signature(meta)});")
        lines += [f"void {mode}_{meta.function}(void);" for mode in _MODES]
    parameters = gen_signature_with_full_args(metas[-1])
    lines.append(f"TT_ResultTy {name}(TT_StreamTy stream, {parameters}) {{")
    for meta in kernels:
        arguments = ", ".join(["stream", *_runtime_arguments(meta)])
        lines += [f"  if ({meta.condition})", f"    return {meta.function}({arguments});"]
    lines += ["  return TT_ERROR_INVALID_VALUE;", "}"]
    return "\n".join(lines) + "\n" + _load_functions(name, [meta.function for meta in kernels])


def make_kernel_meta_const_dispatcher(meta: KernelLinkerMeta) -> str:
    """Define the function that calls the algorithm of a number."""
    name, parameters = meta.orig_kernel_name, gen_signature_with_full_args(meta)
    return (
        f"TT_ResultTy {name}(TT_StreamTy stream, {parameters}, int algo_id) {{\n"
        f"  if (algo_id < 0 || algo_id >= {name}_get_num_algos())\n"
        "    return TT_ERROR_INVALID_VALUE;\n"
        f"  return {name}_kernels[algo_id](stream, {', '.join(meta.arg_names)});\n}}\n"
    )


def make_func_pointers(names: Iterable[str], meta: KernelLinkerMeta) -> str:
    """Define the table of algorithms."""
    parameters = gen_signature_with_full_args(meta)
    return (
        f"typedef TT_ResultTy (*kernel_func_t)(TT_StreamTy stream, {parameters});\n"
        f"static kernel_func_t {meta.orig_kernel_name}_kernels[] = {{{', '.join(names)}}};\n"
    )


def make_kernel_load_def(names: Iterable[str], meta: KernelLinkerMeta) -> str:
    """Define the functions that load and unload all kernels."""
    return _load_functions(meta.orig_kernel_name, list(names))


def _load_functions(name: str, parts: Sequence[str]) -> str:
    functions = [
        "\n".join([f"void {mode}_{name}(void) {{", *(f"  {mode}_{part}();" for part in parts), "}"])
        for mode in _MODES
    ]
    return "\n".join(functions) + "\n"


def make_get_num_algos_decl(meta: KernelLinkerMeta) -> str:
    """Declare the function that counts the algorithms."""
    return f"int {meta.orig_kernel_name}_get_num_algos(void);\n"


def make_get_num_algos_def(meta: KernelLinkerMeta) -> str:
    """Define the function that counts the algorithms."""
    table = f"{meta.orig_kernel_name}_kernels"
    return (
        f"int {meta.orig_kernel_name}_get_num_algos(void) {{\n"
        f"  return (int)(sizeof({table}) / sizeof({table}[0]));\n}}\n"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Link the headers that the command line names."""
    parser = ArgumentParser(description=desc)
    parser.add_argument("headers", nargs="+", help="headers of triton.tools.compile")
    parser.add_argument("--out", "-o", type=Path, required=True, help="the files, without suffixes")
    parser.add_argument("--prefix", default="", help="has no effect, as in Triton")
    options = parser.parse_args(arguments)
    headers = HeaderParser()
    for header in options.headers:
        headers.extract_linker_meta(Path(header).read_text())
    if headers.backend_name is None or not headers.kernels:
        raise LinkerError("no header of triton.tools.compile", found=", ".join(options.headers))
    functions = {meta.orig_kernel_name for metas in headers.kernels.values() for meta in metas}
    if len(functions) > 1:
        raise LinkerError("headers of several kernels", found=", ".join(sorted(functions)))
    prelude = LINK_PRELUDES[headers.backend_name]
    names, kernels = list(headers.kernels), list(headers.kernels.values())
    meta = kernels[0][0]
    declarations = [make_algo_decls(name, metas) for name, metas in headers.kernels.items()]
    declarations += [make_get_num_algos_decl(meta), make_global_decl(meta)]
    options.out.with_suffix(".h").write_text("\n".join([prelude, *declarations]))
    definitions = [
        make_kernel_hints_dispatcher(name, metas) for name, metas in headers.kernels.items()
    ]
    definitions += [
        make_func_pointers(names, meta),
        make_get_num_algos_def(meta),
        make_kernel_meta_const_dispatcher(meta),
        make_kernel_load_def(names, meta),
        make_default_algo_kernel(meta),
    ]
    options.out.with_suffix(".c").write_text("\n".join([prelude, *definitions]))


if __name__ == "__main__":
    main()
