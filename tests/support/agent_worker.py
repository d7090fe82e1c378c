"""A worker on an agent's queue, like the daemon's: writes the id of each job it takes to a file, one per line."""

import signal
import sys
from pathlib import Path
from typing import Any

from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import agent_app, execute_tasks, restore_unacknowledged
from orchestrator.wire.base import JOB_QUEUE, JOB_TASK


def main(agent_id: str, url: str, output: Path, endless: bool) -> None:
    app = agent_app(agent_id, BrokerAddress.parse(url))

    @app.task(name=JOB_TASK)  # type: ignore[untyped-decorator, unused-ignore]
    def execute(job: Any) -> None:
        with output.open("a") as file:
            file.write(f"took {job['job_id']}\n")
        while endless:
            signal.pause()
        with output.open("a") as file:
            file.write(f"done {job['job_id']}\n")

    restore_unacknowledged(app)
    execute_tasks(app, JOB_QUEUE, "test")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4] == "endless")
