"""Jobs on the device: the Celery worker, claims, the executor, the journal, and delivery of records."""
