"""The webhook server's certificate, made and kept as the operator's cert-controller does.

It signs itself: the API server is told to trust the certificate as an authority of its own.
"""

from __future__ import annotations

import base64
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi

_VALID_DAYS = 3650
_CERTIFICATE, _KEY, _AUTHORITY = "tls.crt", "tls.key", "ca.crt"


@dataclass(frozen=True)
class ServingCertificate:
    """PEM texts."""

    certificate: bytes
    key: bytes

    @property
    def bundle(self) -> str:
        """What the API server is told to trust."""
        return base64.b64encode(self.certificate).decode()


async def kept_certificate(api: KubernetesApi, namespace: str, secret: str, host: str) -> ServingCertificate:
    """The certificate in the Secret; made and stored there first where it is missing."""
    found = await api.get("v1", "Secret", secret, namespace)
    data = (found or {}).get("data") or {}
    if data:
        return ServingCertificate(base64.b64decode(data[_CERTIFICATE]), base64.b64decode(data[_KEY]))
    made = _new_certificate(host)
    key = base64.b64encode(made.key).decode()
    await api.apply(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": secret, "namespace": namespace},
            "type": "Opaque",
            "data": {_CERTIFICATE: made.bundle, _KEY: key, _AUTHORITY: made.bundle},
        }
    )
    return made


def _new_certificate(host: str) -> ServingCertificate:
    """A new certificate for `host`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dynamo-operator")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=_VALID_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return ServingCertificate(
        certificate=certificate.public_bytes(serialization.Encoding.PEM),
        key=key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    )
