"""Material made from the packages of the operating system, and random bytes."""
