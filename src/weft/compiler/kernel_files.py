"""Files of a kernel's stages: dumps, and files in place of what stages return.

    TRITON_KERNEL_DUMP=1        writes TRITON_DUMP_DIR/KEY/add.ttir, add.ttgir, add.ptx, …
    TRITON_KERNEL_OVERRIDE=1    reads TRITON_OVERRIDE_DIR/KEY/add.ttgir in place of a stage's output

The same settings are `knobs.compilation.dump_ir` and `override`, `knobs.cache.dump_dir` and
`override_dir`. KEY depends on the source of the kernel and on its signature alone: a file that was
dumped, edited and copied to the other folder stays valid for other options and targets.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from weft import knobs
from weft.compiler.fingerprint import fingerprint
from weft.compiler.ir_override import OVERRIDABLE_STAGES
from weft.compiler.signature import Signature
from weft.errors import WeftError
from weft.language.kernel_function import KernelFunction

__all__ = ["MAX_FILE_STEM", "dump_stages", "override_files", "source_key"]

MAX_FILE_STEM = 150
"""Characters of a file name without its suffix; longer ones are not portable."""


def source_key(kernel: KernelFunction, signature: Signature) -> str:
    """Compute the name of the folder of a kernel with a signature."""
    text = f"{fingerprint(kernel)}\0{signature}"
    return hashlib.sha256(text.encode()).hexdigest()


def dump_stages(kernel: KernelFunction, signature: Signature, outputs: Mapping[str, bytes]) -> None:
    """Write the output of each stage of a kernel, if `knobs.compilation.dump_ir` is set.

    Raises:
        WeftError: The directory cannot be written.
    """
    if not knobs.compilation.dump_ir:
        return
    folder = Path(knobs.cache.dump_dir, source_key(kernel, signature))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for stage, output in outputs.items():
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                file.write(output)
            os.replace(file.name, folder / f"{kernel.name[:MAX_FILE_STEM]}.{stage}")
    except OSError as error:
        raise WeftError(
            f"cannot write dumps of kernels: {error.strerror}", found=str(folder)
        ) from error


def override_files(kernel: KernelFunction, signature: Signature) -> dict[str, Path]:
    """Find the files in place of what the stages of a kernel return, by stage.

    Returns:
        Nothing if `knobs.compilation.override` is off.
    """
    if not knobs.compilation.override:
        return {}
    folder = Path(knobs.cache.override_dir, source_key(kernel, signature))
    stem = kernel.name[:MAX_FILE_STEM]
    files = {stage: folder / f"{stem}.{stage}" for stage in OVERRIDABLE_STAGES}
    return {stage: file for stage, file in files.items() if file.is_file()}
