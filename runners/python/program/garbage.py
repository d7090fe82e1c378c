"""Number of garbage collections."""

from __future__ import annotations

import gc

REASON = None if hasattr(gc, "callbacks") else "this interpreter does not report its collections"


class CollectionCount:
    """Collections of this process since the object was made; None where the interpreter does not report them."""

    def __init__(self) -> None:
        """Begin to count."""
        self._count = 0
        if REASON is None:
            gc.callbacks.append(self._note)

    def _note(self, phase: str, _facts: dict[str, int]) -> None:
        if phase == "start":
            self._count += 1

    @property
    def count(self) -> int | None:
        """Collections so far."""
        return self._count if REASON is None else None

    def since(self, before: int | None) -> int | None:
        """Return the collections since an earlier count."""
        now = self.count
        return None if now is None or before is None else now - before
