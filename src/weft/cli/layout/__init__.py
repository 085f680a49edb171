"""`weft layout`: print, draw and measure a layout, or every layout of a dump.

command.py      the options, with those of triton-tensor-layout
show.py         choose what to print
reading.py      parse a layout: Triton's attribute, a legacy attribute, bases, or Python
expression.py   evaluate Python expressions over the constructors of weft.layouts
tensor_type.py  parse tensor<16x16xf16>
costs.py        bank conflicts, sectors of global memory, conversions
dump.py         list the layouts of a file of IR
legacy_dump.py  list the layouts of a file of the triton_gpu dialect (Triton before 3.2)
"""
