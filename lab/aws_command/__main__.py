"""`aws eks get-token`: the lab's own client certificate, in the form in which a kubeconfig's `exec` wants it.

The real command signs a token; the lab's API server knows no AWS identities, and lets its certificate in.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import yaml

from lab.directory import LabDirectory
from lab.environment import CONTEXT
from lab.errors import LabError

# Of the AWS CLI, version 2, for a command line that it does not understand, and for anything else.
_USAGE_EXIT = 252
_FAILED_EXIT = 255
_API_VERSION = "client.authentication.k8s.io/v1beta1"
_FOREIGN_TOKEN = "k8s-aws-v1.of-another-cluster"  # noqa: S105 - opens nothing, which is what it is for


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """As the AWS CLI says it."""
        self.exit(
            _USAGE_EXIT,
            "\nusage: aws [options] <command> <subcommand> [<subcommand> ...] [parameters]\n"
            "To see help text, you can run:\n\n  aws help\n\n"
            f"aws: error: {message}\n",
        )


def main() -> int:
    """Prints an ExecCredential; what the command line or the lab lacks is told as the AWS CLI would."""
    parser = _Parser(prog="aws", add_help=False, allow_abbrev=False)
    # Both kinds are exact: an invented option must not pass here and fail where the real command runs.
    parser.add_argument("command", choices=["eks"])
    parser.add_argument("operation", choices=["get-token"])
    parser.add_argument("--cluster-name", required=True)
    parser.add_argument("--region", required=True)
    parser.add_argument("--output", choices=["json"])
    given = parser.parse_args()
    try:
        status = _status(LabDirectory.default(), given.cluster_name, given.region)
    except LabError as error:
        sys.stderr.write(f"\n{error}\n")
        return _FAILED_EXIT
    credential = {"kind": "ExecCredential", "apiVersion": _API_VERSION, "spec": {}, "status": status}
    print(json.dumps(credential))
    return 0


def _status(lab: LabDirectory, cluster: str, region: str) -> dict[str, Any]:
    """AWS signs a token for any name; only the cluster that it was made for takes it."""
    store = lab.cloud / "store.json"
    clusters = json.loads(store.read_text(encoding="utf-8")).get("eks-clusters", {}) if store.exists() else {}
    if f"{region}/{cluster}" not in clusters:
        return {"token": _FOREIGN_TOKEN}
    if not lab.kubeconfig.is_file():
        raise LabError(f"there is no kubeconfig {lab.kubeconfig}; is the lab up?")
    config = yaml.load(lab.kubeconfig.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    users = {each["name"]: each["user"] for each in config["users"]}
    contexts = {each["name"]: users[each["context"]["user"]] for each in config["contexts"]}
    user = contexts[CONTEXT]
    names = {"clientCertificateData": "client-certificate", "clientKeyData": "client-key"}
    return {name: Path(user[key]).read_text(encoding="utf-8") for name, key in names.items()}


if __name__ == "__main__":
    sys.exit(main())
