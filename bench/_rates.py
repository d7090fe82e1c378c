"""Rates of simulated or measured events, as the benchmarks print them."""

from scipy.stats import binomtest


def report(what: str, hits: int, count: int) -> tuple[float, float]:
    """Print a rate, and return the limits of its 95 % interval (Clopper-Pearson)."""
    limits = binomtest(hits, count).proportion_ci(0.95)
    print(
        f"{what:<74} {hits:>5} of {count:>5} {hits / count:>7.2%}  95 % {limits.low:.2%} to {limits.high:.2%}",
        flush=True,
    )
    return float(limits.low), float(limits.high)
