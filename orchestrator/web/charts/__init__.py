"""Charts as declarative specifications (Vega-Lite, by Altair), one file a chart.

The page draws the specification; ``svg`` draws the same one for browsers without scripts and for reports.
"""
