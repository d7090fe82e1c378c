"""Colors of series in charts, on screens and in print."""

COLORS = ("#0072b2", "#e69f00", "#686868", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")
"""Colors of series: those of Okabe and Ito that are visible on light and on dark, with a darker gray.

The order maximizes the smallest difference (CIEDE2000) of two colors one or two places apart, under normal vision and
three simulated deficiencies: these are the colors of providers with equal shapes.
"""
