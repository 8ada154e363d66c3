"""`aws eks get-token`: the lab's own client certificate, in the form in which a kubeconfig's `exec` wants it.

The real command signs a token; the lab's API server knows no AWS identities, and lets its certificate in.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from lab.aws_command.arguments import UsageError, parse
from lab.aws_command.credential import FOREIGN_TOKEN, certificate_of
from lab.directory import LabDirectory
from lab.errors import LabError

# Of the AWS CLI, version 2, for a command line that it does not understand, and for anything else.
_USAGE_EXIT = 252
_FAILED_EXIT = 255
_API_VERSION = "client.authentication.k8s.io/v1beta1"


def main() -> int:
    """Prints an ExecCredential; what the command line or the lab lacks is told as the AWS CLI would."""
    try:
        wanted = parse(sys.argv[1:], os.environ)
    except UsageError as error:
        sys.stderr.write(f"\n{error}\n")
        return _USAGE_EXIT
    lab = LabDirectory(Path(os.environ["LAB_DIR"])) if "LAB_DIR" in os.environ else LabDirectory.default()
    try:
        status = _status(lab, wanted.cluster, wanted.region)
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
        return {"token": FOREIGN_TOKEN}
    certificate, key = certificate_of(lab.kubeconfig)
    return {"clientCertificateData": certificate, "clientKeyData": key}


if __name__ == "__main__":
    sys.exit(main())
