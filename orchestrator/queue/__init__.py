"""The queue: Celery apps, the hardened Redis transport, and the Redis users of the agents."""
