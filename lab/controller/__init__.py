"""What the lab's stand-in controllers share: the way to the API server, the process's begin and end."""
