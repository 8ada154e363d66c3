"""Asks a running deployment what its clients will ask, and says precisely what is wrong."""
