"""Evidence of masking as the leakage programs print it, of a small build."""

from datetime import UTC, datetime
from typing import Any

from orchestrator.compilation.evidence.report import Evidence

COMPILATION = {"compiler": "GNU", "compiler_version": "12.2.0", "flags": "-O2", "target": "x86_64-linux-gnu"}
SOURCE = "5" * 64


def orders(largest_t: float) -> list[dict[str, Any]]:
    return [{"order": 1, "tests": 100, "largest_t": largest_t, "threshold": 6.0, "operation": 4}]


def gadget(*, faulty: bool = False, passed: bool = True, shares: int = 4) -> dict[str, Any]:
    return {
        "gadget": "multiply", "shares": shares, "faulty": faulty, "probes": 78, "sets": 79157, "exhaustive": True,
        "probing_violation": "n1 = n2 & n3" if faulty == passed else None, "pini_violation": None, "passed": passed,
    }  # fmt: skip


def traces(seed: int, largest_t: float, algorithm: str = "ascon-128") -> dict[str, Any]:
    return {
        "algorithm": algorithm, "variant": "masked64", "shares": 4, "degree": "full", "operation": "encrypt",
        "seed": seed, "operations": 50, "points": 100, "traces": 100_000, "orders": orders(largest_t),
        "passed": largest_t < 6,
    }  # fmt: skip


def control(*, faulty: bool = True, found: bool = True, **form: Any) -> dict[str, Any]:
    return {
        "control": "swapped share" if faulty else "no fault", "faulty": faulty, "shares": 2, "seed": 1, "points": 9,
        "traces": 1000, "orders": orders(42.0), "found": found, "passed": found == faulty, **form,
    }  # fmt: skip


def object_code(**fields: Any) -> dict[str, Any]:
    return {
        "algorithm": "ascon-128", "variant": "masked64", "shares": 4, "degree": "full", "instructions": 10705,
        "draws": 124, "draws_before_recombination": 124, "passed": True, **fields,
    }  # fmt: skip


def evidence(source_sha256: str = SOURCE, **replaced: Any) -> Evidence:
    """Return evidence that passed for ascon-128 masked64 with 4 shares, with some parts replaced."""
    parts = {
        "gadgets": [gadget(), gadget(faulty=True)],
        "controls": [control(), control(faulty=False, found=False)],
        "traces": [traces(1, 4.0), traces(2, 4.5)],
        "object_code": [object_code()],
    }
    return Evidence.model_validate(
        {
            "source_sha256": source_sha256,
            "collected_at": datetime(2026, 11, 22, tzinfo=UTC),
            "wall_seconds": 60.0,
            "compilation": COMPILATION,
            **parts,
            **replaced,
        }
    )
