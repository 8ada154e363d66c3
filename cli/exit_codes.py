"""Exit codes of `dynamo-stack`."""

FAILED = 1
"""A mandatory finding, or a rule that is broken."""

UNREADABLE = 2
"""The input cannot be used: settings, YAML or the command line itself; or nothing of it is understood."""

SIGNALLED = 128
"""Ended by Ctrl-C or another signal, whose number is added, as a shell says it."""

CHANGED = 1
"""Of `diff`: the sides differ."""

STOPPED = 2
"""Of `diff`: a mandatory finding, or a change that would be refused."""

NOT_COMPARED = 3
"""Of `diff`: at least one stack, or all of a side, could not be read."""
