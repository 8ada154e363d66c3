"""One stack for everything, or a stack a layer: who owns what, and how the stacks join."""
