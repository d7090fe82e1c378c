"""Collect the evidence that the masked ciphers are masked, and print it as a table (docs/masking.md):

    .venv/bin/python scripts/evidence.py build/tests [--traces 100000] [--algorithm ascon-128] [--json FILE]

The folder is a build of the runners with the target `evidence`. Exit code 1: a check has not passed.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

NOT_VERIFIED = 6
"""Exit code of a check that has printed its report, of which a result has not passed."""

Report = dict[str, Any]


def leakage(folder: Path, *options: str) -> Report:
    """Execute one check and return its report."""
    command = [str(folder / "ciphermark-own"), "leakage", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, NOT_VERIFIED) or not done.stdout:
        raise SystemExit(f"{' '.join(options)}: exit code {done.returncode}: {done.stderr.strip()}")
    report: Report = json.loads(done.stdout)
    return report


def masked_variants(folder: Path, only: str | None) -> list[tuple[str, str]]:
    """Return algorithm and variant of each masked implementation that this processor can execute."""
    listed = subprocess.run([folder / "ciphermark-own", "list"], capture_output=True, text=True, check=True)
    return [
        (one["algorithm"], one["variant"])
        for one in json.loads(listed.stdout)["implementations"]
        if one.get("masking") and one["available"] and only in (None, one["algorithm"])
    ]


def collect(folder: Path, traces: int, only: str | None) -> list[Report]:
    """Execute all checks, as many at a time as there are processors; traces of portable variants (masked64)."""
    tasks = [("--check", "gadgets"), ("--check", "controls", "--traces", str(traces))]
    for algorithm, variant in masked_variants(folder, only):
        form = ("--algorithm", algorithm, "--variant", variant)
        if "-" not in variant:
            tasks.append(("--check", "traces", "--traces", str(traces), *form))
        tasks.append(("--check", "object-code", *form))
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(lambda options: leakage(folder, *options), tasks))


def rows_of_traces(reports: list[Report]) -> list[str]:
    """Return a row for each form: the largest |t| of all seeds, by order, and its threshold."""
    forms: dict[tuple[Any, ...], list[Report]] = {}
    for report in reports:
        if report["check"] == "traces":
            for one in report["results"]:
                forms.setdefault((one["algorithm"], one["variant"], one["degree"], one["shares"]), []).append(one)
    rows = []
    for form, results in sorted(forms.items()):
        largest: dict[int, tuple[float, float]] = {}
        for one in results:
            for order in one["orders"]:
                value = (order["largest_t"], order["threshold"])
                largest[order["order"]] = max(value, largest.get(order["order"], (0.0, 0.0)))
        orders = "  ".join(f"{order}: {t:.2f} of {limit:.2f}" for order, (t, limit) in sorted(largest.items()))
        points = max(one["points"] for one in results)
        outcome = "ok" if all(one["passed"] for one in results) else "LEAKS"
        rows.append(f"{' '.join(map(str, form)):48} {points:8} points  {outcome:5}  {orders}")
    return rows


def rows_of_object_code(reports: list[Report]) -> list[str]:
    """Return a row for each form and control: instructions, and random draws before the first recombination."""
    rows = {}
    for report in reports:
        if report["check"] != "object-code":
            continue
        for one in report["results"]:
            name = one.get("control") or f"{one['algorithm']} {one['variant']} {one['degree']} {one['shares']}"
            if "unavailable" in one:
                found = f"not examined: {one['unavailable']}"
            else:
                found = (
                    f"{one['instructions']:8} instructions, {one['draws_before_recombination']} of {one['draws']} "
                    f"draws before the first recombination"
                )
            rows[name] = f"{name:48} {'ok' if one['passed'] else 'FAILED':6} {found}"
    return [rows[name] for name in sorted(rows)]


def rows_of_gadgets(reports: list[Report]) -> list[str]:
    """Return a row for each gadget and number of shares."""
    rows = []
    for report in reports:
        if report["check"] != "gadgets":
            continue
        for one in report["results"]:
            violated = [name for name in ("probing", "pini") if one[f"{name}_violation"]]
            kind = "fault" if one["faulty"] else "gadget"
            sets = "all" if one["exhaustive"] else "random"
            outcome = f"violates {' and '.join(violated) or 'nothing'}: {'ok' if one['passed'] else 'FAILED'}"
            rows.append(
                f"{kind} '{one['gadget']}', {one['shares']} shares: {one['probes']} probes, "
                f"{one['sets']} sets ({sets}), {outcome}"
            )
    return rows


def rows_of_controls(reports: list[Report]) -> list[str]:
    """Return a row for each control and seed."""
    return [
        f"control '{one['control']}', {one['shares']} shares, seed {one['seed']}: "
        f"{'found' if one['found'] else 'nothing found'}, largest |t| "
        f"{max(order['largest_t'] for order in one['orders']):.4g}: {'ok' if one['passed'] else 'FAILED'}"
        for report in reports
        if report["check"] == "controls"
        for one in report["results"]
    ]


def main() -> int:
    """Collect, store, print."""
    parser = argparse.ArgumentParser(description="Evidence for the masked ciphers")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--traces", type=int, default=100_000)
    parser.add_argument("--algorithm", help="this one only")
    parser.add_argument("--json", type=Path, help="file for all reports")
    options = parser.parse_args()
    began = time.monotonic()
    reports = collect(options.folder, options.traces, options.algorithm)
    seconds = time.monotonic() - began
    if options.json:
        options.json.write_text(json.dumps({"wall_seconds": seconds, "reports": reports}, indent=1), encoding="utf-8")
    for rows in (rows_of_gadgets, rows_of_controls, rows_of_traces, rows_of_object_code):
        print("\n".join(rows(reports)), end="\n\n")
    results = [one for report in reports for one in report["results"]]
    failed = sum(not one["passed"] for one in results)
    print(f"{len(results)} results, {failed} not passed, in {seconds:.0f} s. A model, not a claim about the power")
    print("consumption of a device: docs/masking.md.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
