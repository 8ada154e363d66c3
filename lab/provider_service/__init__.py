"""What provider stand-ins share: the engine's gRPC calls, property values, how a plugin starts and ends."""
