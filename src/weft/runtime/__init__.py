"""From a decorated function to a compiled or running kernel.

signature.py         what is known of each argument before compilation: type, constant, attributes
signature_text.py    Triton's one-line form of it, "*fp16:16, i32:16, 1024"; signature_reader.py
                     checks both forms; annotations.py reads it where the caller gives none
specialise.py        the same, read from live arguments; arrays.py and dtypes.py know numpy's side
options.py           num_warps and its siblings, checked against the target
lowering.py          the call of the front end, with the facts of the chip
compile.py           kernel → TTIR → TTGIR; compiled.py is the object that holds the texts
jit.py               `kernel[grid](…)`: binding.py binds, fingerprint.py watches the globals,
                     devices.py finds the device, foreign.py opens arrays of other libraries;
                     launch.py runs on the embedded CPU device, gpu.py on a GPU (drivers/), which
                     dispatch.py does again quickly
building.py          a kernel for one chip, from the disk (store.py) or compiled; artifact.py is
                     what that leaves, arguments.py how its arguments are written
tensor_descriptor.py descriptors made on the host; scratch.py memory that a launch brings along
autotune.py          meta-parameters by measurement (config.py, timing.py); heuristics.py by rule
files.py             the kernels of a Python file, and the cases it offers

driver.py            the device in use, asked as Triton's scripts do; as_triton.py lets them run
profiler.py          how long each kernel takes, by scopes; profiler_viewer.py prints it
observing.py         who watches launches; launch_metadata.py: what hooks around them are told

The public names are re-exported by `weft` itself; those that Triton has in `triton.runtime` are
found here as well.
"""

from __future__ import annotations

from weft.lazy_attributes import lazy_getattr, object_references

__getattr__ = lazy_getattr(
    __name__,
    object_references(
        {
            "weft.errors": "InterpreterError OutOfResources",
            "weft.runtime.autotuner": "Autotuner Config autotune",
            "weft.runtime.heuristic": "Heuristics heuristics",
            "weft.runtime.jit": "JITFunction KernelInterface",
            "weft.runtime.reinterpreting": "MockTensor TensorWrapper reinterpret",
        }
    )
    | {"driver": "weft.runtime.driver", "errors": "weft.errors", "jit": "weft.runtime.jit"},
)
