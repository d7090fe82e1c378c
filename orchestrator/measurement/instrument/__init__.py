"""The instrument: measures one execution and combines launcher, monitor, report and machine readings."""
