"""Comparisons of layouts with Triton's, on thousands of generated cases.

random_encodings   encodings and shapes of every kind, generated from a number
random_layouts     layouts of random basis vectors, and every operation of Triton's binding
bank_conflicts     the bank conflicts of random tiles
scales             the layouts of scales of block-scaled dots
comparisons        the list of comparisons, and how both sides compute their answers
forked_queries     asks Triton in forked processes, since it aborts on illegal layouts
digests            digests of Triton's answers, to compare without its wheel
"""
