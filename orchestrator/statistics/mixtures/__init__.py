"""Mixtures of message lengths: their cost, and the changes that give them another fastest candidate."""
