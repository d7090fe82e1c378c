"""Processes of long-running commands, without the packages of the command line."""
