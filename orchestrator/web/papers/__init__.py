"""Pages of papers: published benchmarks, and the verdicts of own runs on their claims."""
