"""Jobs on their way: Celery apps, Redis users, outbox, dispatch, the scheduler's tasks."""
