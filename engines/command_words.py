"""What of a command's options is told by hand: what replaced older ones, and what is on its way out.

Options and values that commands have today were read by program (engines/command_options.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.release import ReleaseLine


@dataclass(frozen=True, slots=True)
class CommandWords:
    """Words of one command."""

    removed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Option that older guides name -> what to write instead."""
    deprecated: Mapping[str, str] = field(default_factory=dict[str, str])
    """Option that still works -> what to write instead."""
    prefixes: tuple[str, ...] = ()
    """How further options begin."""
    disaggregation_modes: Mapping[ReleaseLine, tuple[str, ...]] = field(
        default_factory=dict[ReleaseLine, tuple[str, ...]]
    )
    """Release line from which on -> values of --disaggregation-mode; empty for a command without it.

    PyPI packages ai-dynamo 0.6.1, 0.7.1, 0.8.1, 0.9.1, 1.0.2, 1.1.1, 1.2.1, 1.3.1, 1.4.2, 1.5.1 and 1.6.1:
    backend_args.py of the command's package, and where 0.x has it."""


STORE_KV = {"--store-kv": "write --discovery-backend"}
"""An option that every command of Dynamo's runtime had (argparse of the PyPI package ai-dynamo 1.2.1)."""

FRONTEND = CommandWords(removed=STORE_KV)
"""Of dynamo.frontend, which starts no engine."""
