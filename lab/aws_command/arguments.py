"""The command line of `aws eks get-token`, and nothing else."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class UsageError(Exception):
    """The command line is not understood; the text is what the AWS CLI would say."""


@dataclass(frozen=True)
class Wanted:
    """A token for a cluster of a region."""

    cluster: str
    region: str


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(
            "usage: aws [options] <command> <subcommand> [<subcommand> ...] [parameters]\n"
            "To see help text, you can run:\n\n  aws help\n\n"
            f"aws: error: {message}"
        )


def parse(arguments: Sequence[str], environment: Mapping[str, str]) -> Wanted:
    """What is asked for. Raises UsageError for any other command, and for options of any other."""
    parser = _Parser(prog="aws", add_help=False, allow_abbrev=False)
    # Both kinds are exact: an invented option must not pass here and fail where the real command runs.
    parser.add_argument("command", choices=["eks"])
    parser.add_argument("operation", choices=["get-token"])
    parser.add_argument("--cluster-name", required=True)
    parser.add_argument("--region")
    parser.add_argument("--output", choices=["json"])
    given = parser.parse_args(list(arguments))
    region = given.region or environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    if not region:
        raise UsageError(
            'You must specify a region. You can also configure your region by running "aws configure".'
        )
    return Wanted(given.cluster_name, region)
