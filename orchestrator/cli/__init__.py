"""The command line; each command imports what it needs when it is called, so that a device needs no service packages."""
