"""`weft layout`: print, draw and measure a layout, or every layout of a dump.

command.py      the options, triton-tensor-layout's among them
show.py         what is printed for them
reading.py      a layout as Triton's text, as that of older dumps, as bases or as Python
expression.py   Python expressions over the constructors of weft.layouts, and nothing else
tensor_type.py  tensor<16x16xf16>
costs.py        conflicts of banks, sectors of global memory, the way to another layout
dump.py         the layouts of a file of IR
older_dump.py   the layouts of a file of the dialect triton_gpu, of releases before 3.2
"""
