"""Why a deployment does not serve: the one cause that explains the rest, and what to type."""
