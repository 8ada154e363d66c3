"""What an engine really runs with: settings, model, formats, memory."""
