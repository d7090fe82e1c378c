"""JUnit XML of a comparison with a baseline: one test per case, which fails if the case became worse. Pure."""

from typing import Any
from xml.etree import ElementTree

from orchestrator.shared.values.changes import change_words


def junit(document: dict[str, Any], plan: str) -> str:
    """Return the XML of a document of ``/regressions``.

    A case that became better passes, with a note. A case with too few former runs is skipped, and one without a
    verified result is an error.
    """
    changes = {change["case_words"]: change for change in document["changes"]}
    undecided = set(document["compared"] if document["state"] == "undecided" else document["undecided_cases"])
    skipped = document["sentence"] if document["state"] == "undecided" else "Too few former runs have this case."
    suite = ElementTree.Element(
        "testsuite",
        name=plan,
        tests=str(len(document["compared"]) + len(document["lost"])),
        failures=str(sum(change["worse"] for change in changes.values())),
        errors=str(len(document["lost"])),
        skipped=str(sum(words in undecided for words in document["compared"])),
    )
    for words in document["compared"]:
        test = ElementTree.SubElement(suite, "testcase", classname=f"{plan}.{document['measure']}", name=words)
        change = changes.get(words)
        if words in undecided:
            ElementTree.SubElement(test, "skipped", message=skipped)
        elif change is not None and change["worse"]:
            failure = ElementTree.SubElement(test, "failure", type="regression", message=change_text(change))
            failure.text = "\n".join([*(change_words(**one) for one in document["differences"]), document["method"]])
        elif change is not None:
            ElementTree.SubElement(test, "system-out").text = change_text(change)
    for one in document["lost"]:
        test = ElementTree.SubElement(
            suite, "testcase", classname=f"{plan}.{document['measure']}", name=one["case_words"]
        )
        ElementTree.SubElement(test, "error", type="no-result", message=one["reason"])
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def change_text(change: dict[str, Any]) -> str:
    """Return a change with its interval: ``+3.1 % (+1.9 % to +4.4 %)``."""
    ratio, low, high = (100 * (one - 1) for one in (change["ratio"], *change["interval"].values()))
    return f"{ratio:+.1f} % ({low:+.1f} % to {high:+.1f} %)"
