"""Reports of ``ciphermark ci`` for the programs that show the results of continuous integration."""
