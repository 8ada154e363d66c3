"""What the engine, its providers and the API server make of a changed field: tables with their sources."""
