"""The pods that a graph asks for, and what they carry."""
