"""Asks the account for what `pulumi up` would otherwise miss half an hour later."""
