"""Engine of ``ciphermark measure``, which measures any program of this machine without a service.

command_lines.py   command lines as programs with their arguments, without a shell
program.py         a program as a command of the instrument, its environment and its outcome
instrument.py      instrument with the launcher of a build, on a core of its own or on any
series.py          warm-up and rounds in random order, up to a number or a precision
summary.py         statistics of the executions of one program
comparison.py      ranking of the programs (needs numpy)
conclusions.py     results of a series: summaries, ranking, remarks
document.py        results as JSON and as rows of CSV
hyperfine.py       results in the formats of hyperfine

All but comparison.py work without numpy, on devices that lack it.
"""
