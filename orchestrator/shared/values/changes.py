"""Words of what changed between two runs. Pure."""


def change_words(topic: str, subject: str, before: str | None, after: str | None) -> str:
    """Return what changed between two sides in one line: ``compiler, build: gcc 12.2.0 → gcc 13.1.0``."""
    return f"{topic}, {subject}: {before or 'absent'} → {after or 'absent'}"
