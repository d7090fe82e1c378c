"""Sends jobs to the agents' queues, with one Celery app per agent, because each has its own key prefix."""

from dataclasses import dataclass, field

from celery import Celery
from kombu.exceptions import KombuError
from redis import RedisError

from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import agent_app
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import Unavailable
from orchestrator.wire.base import JOB_QUEUE, JOB_TASK
from orchestrator.wire.jobs import JobMessage


@dataclass
class JobSender(Closable):
    """Puts jobs into the queues of agents, with the admin's credentials."""

    address: BrokerAddress
    _apps: dict[str, Celery] = field(default_factory=dict)

    def send(self, job: JobMessage) -> None:
        """Put the job into its agent's queue; raises Unavailable if Redis refuses it or does not answer in time."""
        app = self._apps.get(job.agent_id)
        if app is None:
            app = self._apps[job.agent_id] = agent_app(job.agent_id, self.address)
        try:
            app.send_task(
                JOB_TASK,
                args=[job.model_dump(mode="json")],
                task_id=f"job-{job.job_id}",
                queue=JOB_QUEUE,
                retry=False,
                ignore_result=True,
                # Celery copies the arguments into the headers for its monitors; a job may be a megabyte.
                argsrepr="",
                kwargsrepr="",
            )
        except (KombuError, RedisError, OSError) as error:
            # The connection may be broken; the next attempt opens a new one.
            self._apps.pop(job.agent_id).close()
            raise Unavailable(f"Redis did not take job {job.job_id}: {error}") from error

    def close(self) -> None:
        """Close every connection."""
        for app in self._apps.values():
            app.close()
        self._apps.clear()
