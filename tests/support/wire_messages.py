"""Strategies for wire messages, and the round trip through JSON that every message must survive."""

from datetime import UTC, datetime

from hypothesis import strategies as st
from pydantic import BaseModel

from orchestrator.shared.values import times
from orchestrator.wire import base, builds, health, jobs, records

SHA256 = st.text("0123456789abcdef", min_size=64, max_size=64)
COUNTS = st.integers(0, 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TIMES = st.datetimes(
    times.EARLIEST.replace(tzinfo=None), times.LATEST.replace(tzinfo=None) - datetime.resolution, timezones=st.just(UTC)
)
REALS = st.floats(0, 1e18, allow_nan=False)
PROVIDERS = st.from_regex(r"[a-z0-9]{1,32}", fullmatch=True)
ALGORITHMS = st.from_regex(r"[a-z0-9]{1,20}(-[a-z0-9]{1,20}){0,2}", fullmatch=True)
VARIANTS = st.from_regex(r"[a-z0-9_]{1,32}", fullmatch=True)
MACHINE_FLAGS = st.none() | st.from_regex(r"[A-Za-z0-9+._-]{1,40}", fullmatch=True)

TOOLCHAINS = st.builds(
    builds.Toolchain,
    compiler=st.sampled_from(["gcc", "clang", "icpx"]),
    version=st.none() | st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,4}){0,2}", fullmatch=True),
    optimization=st.sampled_from(["O0", "O1", "O2", "O3", "Os", "Og", "Ofast"]),
    march=MACHINE_FLAGS,
    mtune=MACHINE_FLAGS,
    mcpu=MACHINE_FLAGS,
    link=st.sampled_from(["dynamic", "static"]),
)

SENSOR_SAMPLES = st.builds(
    health.SensorSample,
    sensor=st.from_regex(r"[a-z0-9_]{1,20}( [ -~]{1,40})?", fullmatch=True),
    unit=st.text(max_size=16),
    read_at=TIMES,
    value=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    reason=TEXTS,
)


@st.composite
def curve_samples(draw: st.DrawFn) -> records.CurveSamples:
    """Draw a curve whose columns are complete or empty."""
    length = draw(st.integers(0, 20))
    column = st.lists(COUNTS, min_size=length, max_size=length)
    optional = column | st.just([])
    return records.CurveSamples(
        at_ns=draw(column),
        rss_bytes=draw(optional),
        cpu_ns=draw(optional),
        threads=draw(optional),
        source=draw(st.sampled_from(["proc", "psutil"])),
    )


JOB_EXECUTIONS = st.builds(
    jobs.JobExecution,
    case_id=st.integers(1, 2**63 - 1),
    repetition=st.integers(1, 10**6),
    purpose=st.sampled_from(["warm-up", "timing", "memory", "energy"]),
    position=COUNTS,
)


def returned(message: base.Message | base.Report) -> BaseModel:
    """Return the message after its way through JSON."""
    return type(message).model_validate_json(message.model_dump_json())
