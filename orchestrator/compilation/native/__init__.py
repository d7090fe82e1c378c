"""Compilation of the runners: compilers, CMake, build steps, and code sizes."""
