"""The IR: the dialects of Triton 3.7.1 as xDSL operations, in Triton's textual form.

Dialects     arith, math, scf, cf, ub, llvm, tt, ttg, ttng, nvws, amdg, rocdl, gluon
interfaces   MLIR's op interfaces: regions, loops, branches, calls, memory effects
types, attributes, encodings, enums, locations
             build the types and attributes of operations
assembly_format
             parses and prints operations from MLIR's declarative assembly format
text         parses and prints modules
rewriting    builds, replaces, moves and clones operations
verifier     verifies a module; layout_verifier verifies the layouts in it
folds        the folds of each operation
"""
