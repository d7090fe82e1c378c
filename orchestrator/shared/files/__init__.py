"""Files of the programs: who may read them."""
