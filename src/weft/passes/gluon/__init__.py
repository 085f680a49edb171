"""Passes on Gluon programs, whose author chose layouts and left some to inference.

inline                        inline calls, and simplify control flow only
infer_coalesced_encodings     #gluon.coalesced_encoding: the layout that suits a memory access
resolve_auto_encodings        #gluon.auto_encoding: the layout that follows from others
canonicalize                  canonicalize, but keep layout conversions
"""
