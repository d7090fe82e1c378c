"""Builds of providers in other languages, by the tools of their languages."""
