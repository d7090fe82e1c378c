"""Tests of the declarations of languages."""
