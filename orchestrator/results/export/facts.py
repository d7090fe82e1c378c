"""Type, unit and meaning of each column of the export, for formats with metadata."""

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from orchestrator.shared.exporters import ColumnFacts
from orchestrator.wire.builds import stack_column
from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of
from orchestrator.wire.metrics.phases import phase_title
from orchestrator.wire.metrics.registry import Metric, registry

_TEXTS = {
    "run_id": "Run.",
    "agent_id": "Agent that made the execution.",
    "agent_name": "Name of the agent now.",
    "build_key": "Hash of sources, compiler and flags.",
    "compiler_version": "First line of the compiler's version; empty for prebuilt runners.",
    "protocol": "process: a process per execution; latency: calls timed inside one process.",
    "operation": "What is measured: an operation, those of a process (key-setup+encrypt+decrypt), or noop.",
    "provider": "Origin of the code.",
    "algorithm": "Cipher with its parameters and mode.",
    "variant": "Kind of code of the implementation.",
    "input_kind": "Kind of the chunk; absent for messages.",
    "input_sha256": "SHA-256 of the chunk, or of the description of a message.",
    "fill": "Content of a message: zero, counter or random.",
    "key_fill": "Content of key and nonce: zero or counter.",
    "key_setup": "Whether a call sets the key: apart or included.",
    "masking": "Degree of a masked variant: full, init-final or init.",
    "generator": "Random generator of a masked variant.",
    "language_version": "Version of the language that executes the implementation, of providers in other languages.",
    "purpose": "Why the execution was made: timing, warm-up, memory, shell, blocked or energy.",
    "state": "ok, failed, wrong, disputed, skipped or waiting; only ok counts.",
    "output_sha256": "SHA-256 of the output, of a cipher its ciphertext.",
    "toolchain": "Compiler, flags and linking of the build.",
    "disturbances": "What disturbed the execution.",
    "failure_error": "Kind of the failure.",
    "failure_detail": "Failure in words.",
    "vouched_by": "What vouches for the ciphertext: the service, several agents, or one agent.",
}
_NUMBERS = {
    "case_number": ("1", "Number of the case in the run, from 0."),
    "copy": ("1", "Copy of a case that the plan contains several times, from 1."),
    "message_bytes": ("bytes", "Length of the chunk or message."),
    "associated_data_bytes": ("bytes", "Length of the associated data."),
    "timings": ("1", "Timings of one latency execution."),
    "shares": ("1", "Shares of a masked variant."),
    "execution_id": ("1", "Execution."),
    "repetition": ("1", "Block of the execution; 0 or less for warm-ups."),
    "position": ("1", "Place in the randomized order of its run and agent."),
    "attempt": ("1", "Claim of the job that made the execution."),
    "inventory_id": ("1", "Facts of the machine at that time."),
    "code_bytes": ("bytes", ".text and .rodata of a program with this implementation alone, less an empty one."),
    "static_ram_bytes": ("bytes", ".data and .bss, measured the same way."),
    "context_bytes": ("bytes", "Context that a caller keeps for a key."),
}
_OTHERS = {
    "min_timing_ms": ColumnFacts("real", "ms", "Minimum duration of one timing."),
    "started_at": ColumnFacts("time", help="Start of the execution."),
    "withdrawn": ColumnFacts("flag", help="Whether the agent made a false report and is not trusted again."),
    "disturbed": ColumnFacts("flag", help="Whether something disturbed the execution; it counts unless excluded."),
    "throughput_bytes_per_second": ColumnFacts(
        "real",
        "bytes/s",
        "message_bytes / time of the first phase that processes the input, of a cipher encrypt_wall_ns.",
    ),
    "pass_throughput_bytes_per_second": ColumnFacts("real", "bytes/s", "message_bytes / work_wall_ns."),
    "absent_because": ColumnFacts(
        "reasons",
        help="Reasons of absent values by column, as JSON; * for the whole row. CSV and JSON lines have equal reasons "
        "once, with an id, and the id alone in later rows.",
    ),
}


@cache
def column_facts() -> Mapping[str, ColumnFacts]:
    """Return the facts of every column of the export."""
    texts = {name: ColumnFacts("text", help=text) for name, text in _TEXTS.items()}
    numbers = {name: ColumnFacts("integer", unit, text) for name, (unit, text) in _NUMBERS.items()}
    readings = {name: of_metric(metric) for name, metric in registry().items()}
    stacks = stack_facts(phases_of(CIPHER_SEQUENCE))
    return MappingProxyType({**readings, **texts, **numbers, **stacks, **_OTHERS})


def stack_facts(phases: Iterable[str]) -> dict[str, ColumnFacts]:
    """Return the facts of the columns of these phases' stacks."""
    return {
        stack_column(phase): ColumnFacts("integer", "bytes", f"Deepest stack of {phase_title(phase)}.")
        for phase in phases
    }


def of_metric(metric: Metric) -> ColumnFacts:
    """Return the facts of a metric's column."""
    return ColumnFacts(metric.kind, metric.unit, metric.help, metric.source)
