"""The command line; a command's packages are imported when it is called, so that a device needs no service."""
