"""The Pulumi program of every stack; what it does is in stacks/program/."""

import gc

# The SDKs' classes stay. Looking for cycles among them while they load takes a quarter of a preview's start.
gc.disable()

from stacks.program.entry import main  # noqa: E402 - the line above is for what this loads

gc.freeze()
gc.enable()
main()
