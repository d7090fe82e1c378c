"""Configuration of all tests."""

from hypothesis import settings

# A test is never decided by time: a busy machine is slow, not wrong.
settings.register_profile("ciphermark", deadline=None)
settings.load_profile("ciphermark")
