"""Constant time of builds: following secrets under valgrind, and timing tests, in the spare time of the machine."""
