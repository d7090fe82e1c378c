"""Engine of ``ciphermark measure``, which measures any program of this machine without a service.

command_lines.py   command lines as programs with their arguments, without a shell unless one is given
parameters.py      parameters of a scan and their combinations
hooks.py           command lines around the executions: set-up, preparation, conclusion, clean-up
streams.py         input and outputs of the programs
expansion.py       programs of a call, from the command lines, parameters and options
settings.py        settings of the instrument
program.py         a program as a command of the instrument, its environment and its outcome
instrument.py      instrument with the launcher of a build, on a core of its own or on any
series.py          warm-up and rounds in random order, up to a number or a precision
summary.py         statistics of the executions of one program
comparison.py      ranking of the programs (needs numpy)
conclusions.py     results of a series: summaries, ranking, remarks
reports            results as files

All but comparison.py work without numpy, on devices that lack it.
"""
