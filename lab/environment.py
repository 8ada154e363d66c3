"""The sealed environment: the only variables that anything in the lab starts with.

Built from an allow-list, not by removing what is known to be dangerous: a variable that nobody
thought of (a cloud profile, a production KUBECONFIG, a proxy with credentials) cannot slip through.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lab.toolchain.build import cache_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.directory import LabDirectory

# Everyone may know it: it protects no secret, it only lets the committed Pulumi.dev.yaml be opened.
LAB_PASSPHRASE = "dynamo-stack-lab"  # noqa: S105 - public by design, see above

CONTEXT = "dynamo-lab"

# What a terminal program needs and nothing that names an account, a cluster or a secret.
_PASSED_THROUGH = ("LANG", "LC_ALL", "TERM", "COLUMNS", "LINES", "NO_COLOR", "CI", "TZ", "USER", "LOGNAME")

# Placeholders: a client that reads one of these fails with "invalid credentials" at once instead of
# searching the machine for real ones (instance metadata, SSO caches, credential processes).
_FAKE_CLOUD = {
    "AWS_ACCESS_KEY_ID": "lab",
    "AWS_SECRET_ACCESS_KEY": "lab",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}

_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def sealed_environment(lab: LabDirectory, outside: Mapping[str, str] | None = None) -> dict[str, str]:
    """All variables for a process inside the lab; `outside` (os.environ) gives terminal settings only."""
    given = os.environ if outside is None else outside
    passed = {name: given[name] for name in _PASSED_THROUGH if name in given}
    return passed | _lab_variables(lab) | _FAKE_CLOUD | _cloud_endpoint(lab)


def exports(lab: LabDirectory) -> str:
    """Shell lines that turn the current shell into a sealed one: unset what is foreign, export ours."""
    sealed = sealed_environment(lab)
    foreign = sorted(name for name in os.environ.keys() - sealed if name.startswith(_SENSITIVE_PREFIXES))
    lines = [f"unset {shlex.quote(name)}" for name in foreign if name.isidentifier()]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in sorted(sealed.items())]
    return "\n".join(lines)


def _cloud_endpoint(lab: LabDirectory) -> dict[str, str]:
    """Where the simulated AWS account answers, once it has been started."""
    announced = lab.cloud / "endpoint"
    return {"AWS_ENDPOINT_URL": announced.read_text(encoding="utf-8")} if announced.exists() else {}


def _lab_variables(lab: LabDirectory) -> dict[str, str]:
    python = Path(sys.executable).parent
    return {
        "LAB_DIR": str(lab.root),
        "LAB_CHARTS": str(lab.charts),
        "LAB_TOOLS_CACHE": str(cache_directory()),
        "HOME": str(lab.home),
        "PATH": f"{lab.bin}:{python}:{_SYSTEM_PATH}",
        "KUBECONFIG": str(lab.kubeconfig),
        "KUBECACHEDIR": str(lab.home / "kube-cache"),
        "KWOK_WORKDIR": str(lab.kwok),
        "HELM_CACHE_HOME": str(lab.home / "helm" / "cache"),
        "HELM_CONFIG_HOME": str(lab.home / "helm" / "config"),
        "HELM_DATA_HOME": str(lab.home / "helm" / "data"),
        "XDG_CACHE_HOME": str(lab.home / "cache"),
        "XDG_CONFIG_HOME": str(lab.home / "config"),
        "XDG_DATA_HOME": str(lab.home / "data"),
        "AWS_CONFIG_FILE": str(lab.home / "aws-config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(lab.home / "aws-credentials"),
        "PULUMI_HOME": str(lab.pulumi_home),
        "PULUMI_BACKEND_URL": f"file://{lab.backend}",
        "PULUMI_CONFIG_PASSPHRASE": LAB_PASSPHRASE,
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
        # str() of an Output is a defect that would otherwise reach a manifest as text.
        "PULUMI_ERROR_OUTPUT_STRING": "true",
        # Most of these processes live for a second, and the machine has more memory than cores: collecting
        # garbage less often saves a sixth of a rehearsal's processor time.
        "GOGC": "400",
    }


_SENSITIVE_PREFIXES = (
    *("AWS_", "AZURE_", "ARM_", "GOOGLE_", "GCLOUD_", "CLOUDSDK_"),
    *("KUBE", "HELM_", "PULUMI_", "HF_", "HUGGING_FACE_", "PYTHON", "VIRTUAL_ENV"),
)
