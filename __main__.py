"""The Pulumi program of every stack; what it does is in stacks/program.py."""

from stacks.program import main

main()
