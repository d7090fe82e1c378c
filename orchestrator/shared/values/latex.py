"""Texts in LaTeX sources: no character of another program's text is a command."""

from orchestrator.shared.values.text import visible_line

_ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "·": r"\(\cdot\)", "±": r"\(\pm\)", "×": r"\(\times\)",
    "≥": r"\(\geq\)", "≤": r"\(\leq\)", "…": r"\dots{}", "“": "``", "”": "''", "–": "--", "—": "---",
    "µ": r"\textmu{}", "π": r"\(\pi\)", "τ": r"\(\tau\)",
}  # fmt: skip


def escape(text: str) -> str:
    """Return text in one line in which no character is a command; characters without a font are question marks."""
    plain = visible_line(" ".join(text.split()))
    return "".join(_ESCAPED.get(one) or (one if one.isascii() or "\u00c0" <= one <= "\u017e" else "?") for one in plain)
