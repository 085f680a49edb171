"""One kernel for one target: from its signature to machine code in the disk cache.

signature.py           types, constants and attributes of the arguments; signature_reader.py checks
                       them, signature_text.py reads the one-line form "*fp16:16, i32, 1024",
                       annotations.py derives them from annotations, type_names.py names types
options.py             num_warps, num_stages, … checked for a target
ast_to_ttir.py         call the front end
remaining_stages.py    the passes that an input module still has to go through
machine_code.py        TTGIR to LLVM IR, PTX, cubin, AMDGCN, hsaco
argument_formats.py    how the arguments of a compiled entry are encoded
fingerprint.py         digest of a kernel's sources and globals, which free_names.py finds
cache.py               entries on disk
artifact.py, build.py  a compiled kernel, from the cache or through the pipeline; metadata.py
"""
