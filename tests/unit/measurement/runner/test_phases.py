from typing import Any

from orchestrator.measurement.runner.process_report import read_phases
from orchestrator.wire.metrics.phases import USAGES
from tests.unit.measurement.runner.test_process_report import USAGE, parsed


def phase(name: str, rss_bytes: int | None, begin: dict[str, int] | None, **used: int) -> dict[str, Any]:
    """Return a phase with this usage beyond its begin."""
    end = {field: value + used.get(field, 0) for field, value in (begin or dict.fromkeys(USAGE, 0)).items()}
    return end | {"phase": name, "rss_bytes": rss_bytes, "begin": begin}


class TestReadPhases:
    def test_phase_counts_from_its_own_begin_to_its_end(self) -> None:
        """The runner's readings between two phases cost faults and time, which belong to neither."""
        phases = [
            phase("start", 900, None, user_us=700, minor_faults=80),
            phase("load", 5000, dict.fromkeys(USAGE, 1000), system_us=40, minor_faults=768),
            phase("key_setup", 5000, dict.fromkeys(USAGE, 2000)),
            phase("encrypt", 6000, dict.fromkeys(USAGE, 2500), user_us=15, involuntary_switches=2, major_faults=1),
            phase("decrypt", 6000, dict.fromkeys(USAGE, 3000), user_us=12, voluntary_switches=3),
        ]
        seen, absent = read_phases(parsed(phases=phases))

        assert not absent
        assert set(seen) == {f"{one['phase']}_{name}" for one in phases for name in ("rss_bytes", *USAGES)}
        assert (seen["start_user_ns"], seen["start_minor_faults"]) == (700_000, 80)
        assert (seen["load_system_ns"], seen["load_minor_faults"], seen["load_rss_bytes"]) == (40_000, 768, 5000)
        assert (seen["key_setup_user_ns"], seen["key_setup_minor_faults"]) == (0, 0)
        assert (seen["encrypt_user_ns"], seen["encrypt_involuntary_switches"]) == (15_000, 2)
        assert (seen["encrypt_major_faults"], seen["decrypt_major_faults"]) == (1, 0)
        assert seen["decrypt_voluntary_switches"] == 3

    def test_missing_begin_gives_null_with_a_reason(self) -> None:
        seen, absent = read_phases(parsed())

        assert seen["encrypt_minor_faults"] is None
        assert "before a phase" in absent["encrypt_minor_faults"]
        assert seen["start_minor_faults"] == USAGE["minor_faults"]

    def test_unknown_resident_size_is_null_with_a_reason(self) -> None:
        seen, absent = read_phases(parsed(phases=[phase("decrypt", None, USAGE)]))

        assert seen["decrypt_rss_bytes"] is None
        assert absent == {"decrypt_rss_bytes": "the runner could not read /proc/self/status"}
