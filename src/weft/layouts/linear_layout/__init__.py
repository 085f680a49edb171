"""LinearLayout: which element of a tensor each register, lane and warp holds, as a map of bits.

A layout answers questions such as "which element does register 3 of lane 5 hold?". The layouts that
GPUs use share one property: each bit of the input flips a fixed set of bits of the output, whatever
the other input bits are. Such a map is linear over GF(2), the field {0, 1} whose addition is XOR.
It is given by one output per input bit, and linear algebra answers questions about it.


Basis vectors
-------------

8 lanes hold a 4x8 tensor. Each lane has 4 registers, which hold neighbours of a row, and two lanes
share a row (the table shows lane:register):

                col 0  1    2    3    4    5    6    7
        row 0   0:0  0:1  0:2  0:3  1:0  1:1  1:2  1:3
        row 1   2:0  2:1  2:2  2:3  3:0  3:1  3:2  3:3
        row 2   4:0  4:1  4:2  4:3  5:0  5:1  5:2  5:3
        row 3   6:0  6:1  6:2  6:3  7:0  7:1  7:2  7:3

The input has five bits, two of the register and three of the lane. Read off where each one alone
leads, with all other bits 0:

        register=1 -> (0, 1)        lane=1 -> (0, 4)
        register=2 -> (0, 2)        lane=2 -> (1, 0)
                                    lane=4 -> (2, 0)

These outputs are the *basis vectors*, or bases. They determine the other 27 inputs: write the input
as a sum of powers of two and XOR their bases. Register 3 is 1 + 2 and lane 5 is 1 + 4, so register
3 of lane 5 holds

        (0, 1) ^ (0, 2) ^ (0, 4) ^ (2, 0)  =  (2, 7)

as the table says. In code, and as `str` prints it:

        layout = LinearLayout.from_bases(
            {"register": [[0, 1], [0, 2]], "lane": [[0, 4], [1, 0], [2, 0]]}, ["dim0", "dim1"]
        )
        layout.apply({"register": 3, "lane": 5})        # {"dim0": 2, "dim1": 7}

A basis of zeros means broadcasting. A fourth lane bit, lane=8 -> (0, 0), makes lane 8 hold what
lane 0 holds, lane 9 what lane 1 holds, and so on.

A basis may have bits of several dimensions. This map from offsets in shared memory to a 4x4 tile is
a swizzle, in which each row permutes its columns by XOR with the row number:

        offset=1 -> (0, 1)      offset        0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
        offset=2 -> (0, 2)      row           0  0  0  0  1  1  1  1  2  2  2  2  3  3  3  3
        offset=4 -> (1, 1)      column        0  1  2  3  1  0  3  2  2  3  0  1  3  2  1  0
        offset=8 -> (2, 2)

The four elements of column 0 lie at offsets 0, 5, 10 and 15, so that in four banks no two of them
share a bank. Sums of integers could not say this with four numbers; XOR can.


Packing
-------

A basis is kept as one int, the first out-dimension in its lowest bits. With dim0 of size 4 and dim1
of size 8, (2, 7) is 2 | 7 << 2 = 30, and XOR of two outputs is one `^`. Bits that are read as other
dimensions stay the same bits, so reshaping the output changes no basis at all. As a matrix over
GF(2), a layout has a packed basis in each column.


Products put layouts side by side
---------------------------------

`A * B` is the direct sum: where both have a dimension, B's bits come above A's, in the input and in
the output. The first layout above is a product of three identities, the fastest first:

        LinearLayout.identity_1d(4, "register", "dim1")     register -> columns 0 to 3
        * LinearLayout.identity_1d(2, "lane", "dim1")       lane bit 0 -> column 4
        * LinearLayout.identity_1d(4, "lane", "dim0")       lane bits 1, 2 -> rows

`divide_left` and `divide_right` take a factor away again, if it is one.


Composition applies one layout after the other
----------------------------------------------

`A.compose(B)` is x -> B(A(x)). As both are linear, it is enough to send A's bases through B. If A
maps register=1 -> (0, 1), and B maps (0, 1) to offset 1, then the result maps register=1 -> 1.


The inverse
-----------

If every output is reached by exactly one input, the inverse says by which. For the swizzle: at
which offset does row 1, column 0 lie? Write the wanted output as a sum of bases,

        (1, 0)  =  (1, 1) ^ (0, 1)  =  base of offset 4  ^  base of offset 1

so the answer is offset 4 ^ 1 = 5. The inverse is linear too: it suffices to do this for the outputs
1, 2, 4 … of each dimension. `weft.layouts.gf2.solve` finds the sums by elimination.


The pseudo-inverse
------------------

If all outputs are reached, some of them by several inputs, there is no inverse, but there are right
inverses R with L(R(y)) = y. For four lanes, two bits of output and one bit too many,

        lane=1 -> 3     lane=2 -> 1     lane=4 -> 2

elimination goes through the bases in order and keeps those that are no sum of earlier ones:

        3 = 0b11    kept
        1 = 0b01    kept
        2 = 0b10    = 3 ^ 1, the sum of earlier ones: lane bit 2 is a free variable

Free variables are set to 0. The outputs are sums of the kept bases: 1 is base of lane 2, and
2 = 3 ^ 1 is the sum of the bases of lane 1 and lane 2. So R(1) = 2 and R(2) = 3, although L(4) is 2
as well. All readers of an element that several lanes hold thus agree on one lane.


Where does B hold what A holds?
-------------------------------

`A.invert_and_compose(B)` is the layout X with B(X(i)) = A(i). It solves B · X = A as above, for
each basis of A. With the registers of the first example as A and a layout of shared memory as B, X
maps (register, lane) to the offset that a store of the register needs. With two layouts of
registers, it says from which register of which lane a conversion fetches each value.


Where to read on
----------------

layout.py         the class
products.py       `*`, division, and what a factor leaves
composition.py    `compose` and the inverses
dimensions.py     other orders, sizes and names of dimensions, parts of a layout
evaluation.py     outputs of inputs, tables
text.py           `str`

`weft.layouts.basis_vectors` packs vectors, and `weft.layouts.gf2` is the linear algebra.
"""

from weft.layouts.linear_layout.layout import LinearLayout

__all__ = ["LinearLayout"]
