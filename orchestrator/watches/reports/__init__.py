"""Reports of changes outside the page.

documents.py    contents, as JSON and as text (pure)
outlets.py      refusal of outlets that cannot or may not be used
addresses.py    addresses that webhooks may reach
signing.py      keys and signatures of webhooks
webhook.py, mail.py, files.py    one attempt of each kind
delivery.py     the scheduler's step: attempts that are due, with bounded repetitions
"""
