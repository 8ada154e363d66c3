"""The webhook server's certificate, made and kept as the operator's cert-controller does."""

from __future__ import annotations

import base64
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from lab.controller.api import KubernetesApi, Manifest

_VALID_DAYS = 3650
_CERTIFICATE, _KEY, _CA = "tls.crt", "tls.key", "ca.crt"


@dataclass(frozen=True)
class ServingCertificate:
    """PEM texts: the server's certificate and key, and the authority that the API server is told to trust."""

    certificate: bytes
    key: bytes
    authority: bytes


async def kept_certificate(api: KubernetesApi, namespace: str, secret: str, host: str) -> ServingCertificate:
    """The certificate in the Secret; made and stored there first where it is missing."""
    found = await api.get("v1", "Secret", secret, namespace)
    data = {key: base64.b64decode(value) for key, value in ((found or {}).get("data") or {}).items()}
    if {_CERTIFICATE, _KEY, _CA} <= set(data) and _is_for(data[_CERTIFICATE], host):
        return ServingCertificate(data[_CERTIFICATE], data[_KEY], data[_CA])
    made = make_certificate(host)
    contents = {_CERTIFICATE: made.certificate, _KEY: made.key, _CA: made.authority}
    await api.apply(_secret(namespace, secret, contents))
    return made


def make_certificate(*hosts: str) -> ServingCertificate:
    """A new authority and a server certificate for `hosts` under it."""
    authority_key, server_key = (
        ec.generate_private_key(ec.SECP256R1()),
        ec.generate_private_key(ec.SECP256R1()),
    )
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dynamo-operator-ca")])
    authority = (
        _builder(authority_name, authority_name, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    server_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dynamo-operator")])
    server = (
        _builder(server_name, authority_name, server_key)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    return ServingCertificate(
        certificate=server.public_bytes(serialization.Encoding.PEM),
        key=server_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        authority=authority.public_bytes(serialization.Encoding.PEM),
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=_VALID_DAYS))
    )


def _is_for(certificate: bytes, host: str) -> bool:
    names = x509.load_pem_x509_certificate(certificate).extensions.get_extension_for_class(
        x509.SubjectAlternativeName
    )
    return host in names.value.get_values_for_type(x509.DNSName)


def _secret(namespace: str, name: str, contents: dict[str, bytes]) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "type": "Opaque",
        "data": {key: base64.b64encode(value).decode() for key, value in contents.items()},
    }
