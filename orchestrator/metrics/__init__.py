"""The registry of metrics: everything that one execution is described by, with unit, source and resolution."""
