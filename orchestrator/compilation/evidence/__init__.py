"""Evidence that masked ciphers are masked: collected by the leakage programs of a build, stored, and judged for a form.

report.py      reports of the programs, and the stored document (pure)
collecting.py  executes the programs of a build folder
storage.py     one file for each state of the runners' sources
forms.py       summary of a stored report for one form of one build (pure)
"""
