"""The part of a runner's report about masking: its form, and the random bytes that the work consumed."""

from orchestrator.shared.errors import ProtocolMismatch
from orchestrator.shared.values.forms import UNMASKED, Form
from orchestrator.wire.runners import MaskingReport


def require_form(report: MaskingReport | None, expected: Form) -> None:
    """Raise ProtocolMismatch unless the runner executed the form of the command."""
    reported = UNMASKED if report is None else Form(report.shares, report.degree, report.generator)
    if reported != expected:
        names = (one.label("the variant") if one.shares else "the unmasked variant" for one in (reported, expected))
        raise ProtocolMismatch("The runner executed {}, expected {}.".format(*names))


def read_masking(report: MaskingReport | None) -> dict[str, int | float | None]:
    """Return the readings of a masked execution; an unmasked one has none."""
    if report is None:
        return {}
    return {"random_bytes": report.random_bytes, "random_wall_ns": report.random_wall_ns}
