"""Progress of a series of executions, on a terminal only."""

import sys
from typing import TYPE_CHECKING

from orchestrator.shared.closable import Closable

if TYPE_CHECKING:
    from rich.progress import Progress


class ProgressBar(Closable):
    """Progress of the series, drawn between executions.

    Rich is imported after the first execution, which does not have to wait for it.
    """

    def __init__(self, shown: bool = True) -> None:
        """Show nothing if standard error is not a terminal."""
        self._shown = shown and sys.stderr.isatty()
        self._bar: Progress | None = None

    def show(self, done: int, most: int) -> None:
        """Show the executions done and their total, which may grow."""
        if not self._shown:
            return
        if self._bar is None:
            self._bar = _started_bar()
        self._bar.update(self._bar.task_ids[0], completed=done, total=most, refresh=True)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()


def _started_bar() -> "Progress":
    from rich import progress  # noqa: PLC0415 - see the class

    from orchestrator.cli.output import notes  # noqa: PLC0415 - as above

    columns = (progress.TextColumn("measuring"), progress.BarColumn(), progress.TaskProgressColumn())
    bar = progress.Progress(*columns, console=notes(), transient=True, auto_refresh=False)
    bar.add_task("", total=None)
    bar.start()
    return bar
