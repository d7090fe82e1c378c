"""Figures by input length: the data of a run's throughput and latency charts.

service.py   reads a run and returns a point for each candidate and length
relative.py  ratios of points to a reference, paired by block (pure)
schemas.py   the points as the API and the charts return them
"""
