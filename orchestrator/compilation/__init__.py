"""The toolbox that makes and proves runners: compilers, CMake, libraries, languages, known answers, evidence.

It has no service and no database; the daemon, the command line and the service use it.
"""
