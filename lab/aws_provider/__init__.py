"""Stand-in for pulumi-resource-aws 7.51.1, and the simulated cloud that it works against.

The plugin does what the vendor's does with the types that the catalogue lists, or is stricter: an
unknown type or input is refused. The cloud (`lab.aws_provider.cloud`) is a moto server on the
loopback interface that checks every request against AWS's published service models and against rules
that those models cannot express. Both know AWS, not what anybody builds with it.
"""

from __future__ import annotations

PLUGIN_VERSION = "7.51.1"
