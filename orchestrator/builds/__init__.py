"""What agents built, what was proved there, what measuring costs there; and what a device downloads to build."""
