"""Published benchmarks, repeated on one's own devices: plan, published figures, and a verdict on every claim.

published/     one module per paper; a new paper is one new file
paper.py       the parts of a paper, among them its devices, lengths and flags, with which judging compares a run;
               registry.py finds all papers
quantities.py  what a claim compares: times, other readings, overheads of masking;
               exact_quantities.py has sizes and published figures
statements.py  what a claim states about quantities; statistics/claims judges it
"""
