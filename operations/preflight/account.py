"""The account of the credentials that are in force: read-only requests, and what a refusal means."""

import datetime as dt
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any

import botocore.exceptions
import botocore.session
from botocore.config import Config

from operations.errors import CommandError
from operations.preflight.answer import Unanswered
from stacks.plan.infrastructure.eks_plan import STACK_TAG

# Without a network the defaults would try for several minutes.
_PATIENCE = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
_LOG_IN = "`aws sso login`, or AWS_PROFILE with the name of another profile"
_OF_A_PROFILE = (
    botocore.exceptions.ProfileNotFound,
    botocore.exceptions.SSOError,
    botocore.exceptions.TokenRetrievalError,
)
_DENIED = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}
_BAD_CREDENTIALS = {
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}


class Account:
    """The account of the credentials that are in force, in one region.

    Args:
        region: of the control plane.
        assumed_role: ARN of the IAM role as which it is asked; None: the credentials themselves.

    """

    def __init__(self, region: str, assumed_role: str | None = None) -> None:
        self._region = region
        self._assumed_role = assumed_role
        self._session = botocore.session.get_session()
        self._clients: dict[str, Any] = {}
        self._time: dt.datetime | None = None
        """AWS's clock at the last answer."""

    def now(self) -> dt.datetime:
        """The clock that opens and closes windows, as of AWS's last answer; else this machine's."""
        return self._time or dt.datetime.now(dt.UTC)

    def ask(self, service: str, operation: str, **parameters: object) -> Mapping[str, Any]:
        """AWS's answer.

        Raises:
            Unanswered: the credentials may not ask this, or AWS knows no such thing.
            CommandError: there are no credentials, they are refused, or AWS cannot be reached.
        """
        try:
            if service not in self._clients:
                self._clients[service] = self._client(service, self._credentials)
            call: Callable[..., Mapping[str, Any]] = getattr(self._clients[service], operation)
            answer = call(**parameters)
        except (botocore.exceptions.NoCredentialsError, botocore.exceptions.PartialCredentialsError) as error:
            raise CommandError(
                f"preflight asks the account, and there are no credentials\n  try: {_LOG_IN}"
            ) from error
        except botocore.exceptions.ClientError as error:
            raise _error_of(service, operation, error) from error
        except botocore.exceptions.BotoCoreError as error:
            advice = f"\n  try: {_LOG_IN}" if isinstance(error, _OF_A_PROFILE) else ""
            raise CommandError(f"AWS cannot be asked: {error}{advice}") from error
        # RFC 9110: always in GMT.
        sent = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
        self._time = parsedate_to_datetime(sent) if sent else self._time
        return answer

    def _client(self, service: str, of_role: Mapping[str, str] = MappingProxyType({})) -> Any:
        return self._session.create_client(
            service,
            region_name=self._region,
            config=_PATIENCE,
            aws_access_key_id=of_role.get("AccessKeyId"),
            aws_secret_access_key=of_role.get("SecretAccessKey"),
            aws_session_token=of_role.get("SessionToken"),
        )

    @cached_property
    def _credentials(self) -> Mapping[str, str]:
        """Return those of the assumed role; empty where there is none."""
        if self._assumed_role is None:
            return {}
        try:
            answer = self._client("sts").assume_role(
                RoleArn=self._assumed_role, RoleSessionName="dynamo-stack-preflight"
            )
        except botocore.exceptions.ClientError as error:
            raise CommandError(
                f"AWS does not let these credentials assume {self._assumed_role} (cluster.assumeRole): "
                f"{error.response['Error']['Message']}"
            ) from error
        return answer["Credentials"]


def is_of(stack: str, item: Mapping[str, Any]) -> bool:
    """Whether the stack has made what EC2 describes."""
    return {"Key": STACK_TAG, "Value": stack} in item.get("Tags", [])


def _error_of(service: str, operation: str, error: botocore.exceptions.ClientError) -> Exception:
    code = str(error.response["Error"]["Code"])
    if code in _BAD_CREDENTIALS:
        return CommandError(f"AWS refuses the credentials ({code})\n  try: {_LOG_IN}")
    name = f"{service}:{operation.title().replace('_', '')}"
    if code in _DENIED:
        return Unanswered(f"these credentials may not {name}", code)
    request = error.response.get("ResponseMetadata", {}).get("RequestId", "unknown")
    return Unanswered(f"{name} ends in {code} (request {request})", code)
