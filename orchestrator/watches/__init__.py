"""Regression watches: plans that are executed again and again, and the changes between their runs.

cases.py        what identifies a case in all runs of a plan, and its value in one (pure)
judgment.py     suspects and changes of a look (pure)
narrowing.py    the plan of the suspects (pure)
regressions.py  one run compared with others, for ``ciphermark ci``
looks.py        the scheduler's step: submits due runs, and judges those that ended
reports/        what is sent to outlets: webhooks, mail, files
"""
