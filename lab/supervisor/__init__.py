"""The one process of a lab that runs its stand-ins and starts again what ends."""
