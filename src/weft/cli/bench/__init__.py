"""`weft bench FILE.py[::KERNEL]`: the speed of kernels, relative to the limits of a board.

command.py    choose between the two modes
benches.py    measure a file's BENCHES beside their baselines
launches.py   run any other file as a program, and measure its launches
limits.py     the board whose limits apply
request.py    the arguments of the command line
"""
