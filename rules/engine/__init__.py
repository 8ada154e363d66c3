"""Rules about the settings that an engine really runs with."""
