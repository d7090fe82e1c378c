"""Engine, models, codec of curves."""
