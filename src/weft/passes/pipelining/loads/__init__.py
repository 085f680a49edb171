"""Which loads of a loop are pipelined, and the layout of the buffers that they write.

load_levels            loads by the number of loads that depend on them
copy_width             whether a load is wide enough for cp.async
shared_encodings       the encoding in shared memory that the users of a load need
"""
