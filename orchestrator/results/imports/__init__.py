"""Imported results of other tools: read, stored, shown and compared, each with the remark that nothing was verified.

They have tables of their own, which no answer, ranking or paper reads.
"""
