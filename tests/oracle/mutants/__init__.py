"""Compare weft's verifiers with Triton's by mutation.

    python -m tests.oracle.mutants --dialect tt --dialect ttg --count 5000

A recorded module is cut into programs of one operation each. A mutant is a program with one
change: a type, a field of a layout, an attribute, an operand, a result, a terminator. Weft and
Triton's wheel parse and verify each mutant, and a table counts by operation and rule (what was
changed) how often both accept, both refuse, and only one accepts.

    recorded   %1 = "tt.trans"(%0) <{order = array<i32: 1, 0>}> : (tensor<8x4xf32>) -> …
    rule       property order: value
    mutant     %1 = "tt.trans"(%0) <{order = array<i32: 1, 1>}> : (tensor<8x4xf32>) -> …

programs.py    cut modules into programs, print programs
type_texts.py  changes of the text of a type, an encoding or an attribute
mutations.py   changes of a program
sampling.py    choose programs and mutants, the same for the same seed
sources.py     read the modules to cut
verdicts.py    ask weft and the wheel
reasons.py     why the two sides disagree about some mutants
wheel.py       the process that runs the wheel, which aborts on some mutants
"""
