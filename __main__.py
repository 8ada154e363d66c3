"""The Pulumi program of every stack; what it does is in stacks/program/."""

from stacks.program.entry import main

main()
