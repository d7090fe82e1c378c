"""JUnit XML of a comparison with a baseline: one test per case, which fails if the case became worse. Pure."""

from xml.etree import ElementTree

from orchestrator.shared.values.changes import change_words
from orchestrator.watches.schemas import RegressionRow, Regressions


def junit(found: Regressions, plan: str) -> str:
    """Return the XML of a comparison with former runs.

    A case that became better passes, with a note. A case with too few former runs is skipped, one that is left out too,
    and one without a verified result, unlike in former runs, is an error.
    """
    changes = {change.case_words: change for change in found.changes}
    undecided = set(found.compared if found.state == "undecided" else found.undecided_cases)
    too_few = found.sentence if found.state == "undecided" else "Too few former runs have this case."
    left_out: dict[str, str] = {}
    for one in found.left_out:  # A combination can be omitted for several reasons.
        words = one.case_words
        left_out[words] = f"{left_out[words]} {one.reason}" if words in left_out else one.reason
    skipped = {words: too_few for words in found.compared if words in undecided} | left_out
    lost = {one.case_words: one.reason for one in found.lost}
    tests = list(dict.fromkeys([*found.compared, *lost, *left_out]))
    suite = ElementTree.Element(
        "testsuite",
        name=plan,
        tests=str(len(tests)),
        failures=str(sum(change.worse for change in changes.values())),
        errors=str(len(lost)),
        skipped=str(len(skipped)),
    )
    for words in tests:
        test = ElementTree.SubElement(suite, "testcase", classname=f"{plan}.{found.measure}", name=words)
        change = changes.get(words)
        if words in lost:
            ElementTree.SubElement(test, "error", type="no-result", message=lost[words])
        elif words in skipped:
            ElementTree.SubElement(test, "skipped", message=skipped[words])
        elif change is not None and change.worse:
            failure = ElementTree.SubElement(test, "failure", type="regression", message=change_text(change))
            failure.text = "\n".join([*(change_words(**dict(one)) for one in found.differences), found.method])
        elif change is not None:
            ElementTree.SubElement(test, "system-out").text = change_text(change)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def change_text(change: RegressionRow) -> str:
    """Return a change with its interval: ``+3.1 % (+1.9 % to +4.4 %)``."""
    ratio, low, high = (100 * (one - 1) for one in (change.ratio, change.interval.low, change.interval.high))
    return f"{ratio:+.1f} % ({low:+.1f} % to {high:+.1f} %)"
