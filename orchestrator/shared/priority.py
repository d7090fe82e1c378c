"""Priority of processes and threads."""

import os


def lower_priority(process_id: int, niceness: int) -> None:
    """Raise the niceness of a process or thread; it keeps a higher one, which only root may lower."""
    if os.getpriority(os.PRIO_PROCESS, process_id) < niceness:
        os.setpriority(os.PRIO_PROCESS, process_id, niceness)
