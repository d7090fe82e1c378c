"""Providers in other languages: one contract for all."""
