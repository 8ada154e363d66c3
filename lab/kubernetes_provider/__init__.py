"""Stand-in for pulumi-resource-kubernetes 4.32.0, for machines that cannot fetch the vendor's plugin.

It does what that plugin does against a real API server, or is stricter; it is never leaner on a
program. It knows Kubernetes and Helm, not what anybody deploys with them. The behaviours it copies,
and how each is tested, are listed in docs/conformance.md.
"""

from __future__ import annotations

PLUGIN_VERSION = "4.32.0"
