"""Measures any program of this machine without a service: ``ciphermark measure``.

command_lines.py   what was typed, as programs with their arguments; never through a shell
program.py         one program as a command of the instrument, its environment and what came out of it
instrument.py      the launcher of a build, on a core of its own or on any
series.py          warm-up and rounds in random order, until asked or sure
summary.py         what the executions of one program say together
comparison.py      which one is faster, and how sure that is (needs numpy)
document.py        everything as JSON and as rows of CSV
hyperfine.py       the files that hyperfine writes

All but comparison.py work without numpy, on devices that lack it.
"""
