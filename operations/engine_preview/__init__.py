"""What the engine itself would do: `pulumi preview`, read from its events."""
