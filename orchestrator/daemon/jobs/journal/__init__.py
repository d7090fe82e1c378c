"""The journal of a daemon: the record of every finished execution, until the service has it and for a while after."""
