"""Charts as declarative specifications (Vega-Lite, by Altair), one file per chart.

The browser draws the specification; `theme.svg` draws it for browsers without JavaScript and for reports.
"""
