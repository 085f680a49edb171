"""From a decorated function to a compiled or running kernel.

signature.py       what is known of each argument before compilation: type, constant, attributes
signature_text.py  Triton's one-line form of it: "*fp16:16, i32:16, 1024"
specialise.py      the same, read from live arguments
options.py         num_warps and its siblings, checked against the target
compile.py         kernel → TTIR → TTGIR, and the object that holds the texts
jit.py             `kernel[grid](…)`; launch.py runs it on the embedded CPU device
autotune.py, heuristics.py   meta-parameters chosen by measurement or by rule

The public names are re-exported by `weft` itself.
"""
