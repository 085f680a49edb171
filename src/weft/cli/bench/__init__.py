"""`weft bench FILE.py[::KERNEL]`: how fast kernels are, and what share of a board's limit that is.

command.py    which of the two a file asks for
benches.py    a file that says what to measure, in BENCHES, beside the baselines that it names
launches.py   any other file is run as a program, and the launches that it makes are measured
limits.py     the board whose limits times are held against
request.py    what was asked for on the command line
"""
