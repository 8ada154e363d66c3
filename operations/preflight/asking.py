"""One read-only request to AWS, and what a refusal means for a person."""

from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import botocore.exceptions
import botocore.session
from botocore.config import Config

from operations.errors import CommandError

if TYPE_CHECKING:
    import datetime as dt

# Without a network the defaults would try for several minutes.
_PATIENCE = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
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


class Unanswered(Exception):  # noqa: N818 - an answer of its own: nobody knows
    """AWS does not say; the text says why."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.code = code
        """AWS's own word for the reason."""


class Asker:
    """Asks with the credentials that are in force, in one region; never writes."""

    def __init__(self, region: str) -> None:
        self._region = region
        self._session = botocore.session.get_session()
        self._clients: dict[str, Any] = {}
        self.time: dt.datetime | None = None
        """AWS's clock at the last answer."""

    def ask(self, service: str, operation: str, **parameters: object) -> Mapping[str, Any]:
        """What AWS answers.

        Raises:
            Unanswered: the credentials may not ask this, or AWS knows no such thing.
            CommandError: there are no credentials, they are refused, or AWS cannot be reached.

        """
        try:
            if service not in self._clients:
                self._clients[service] = self._session.create_client(
                    service, region_name=self._region, config=_PATIENCE
                )
            call: Callable[..., Mapping[str, Any]] = getattr(self._clients[service], operation)
            answer = call(**parameters)
        except (botocore.exceptions.NoCredentialsError, botocore.exceptions.PartialCredentialsError) as error:
            raise CommandError(
                "preflight asks the account, and there are no credentials: `aws sso login`, or AWS_PROFILE"
            ) from error
        except botocore.exceptions.ClientError as error:
            raise _meaning(service, operation, error) from error
        except botocore.exceptions.BotoCoreError as error:
            raise CommandError(f"AWS cannot be asked: {error}") from error
        # RFC 9110: always in GMT.
        sent = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
        self.time = parsedate_to_datetime(sent) if sent else self.time
        return answer


def _meaning(service: str, operation: str, error: botocore.exceptions.ClientError) -> Exception:
    code = str(error.response["Error"]["Code"])
    if code in _BAD_CREDENTIALS:
        return CommandError(f"AWS refuses the credentials ({code}): `aws sso login` again, or AWS_PROFILE")
    name = f"{service}:{operation.title().replace('_', '')}"
    if code in _DENIED:
        return Unanswered(f"these credentials may not {name}", code)
    request = error.response.get("ResponseMetadata", {}).get("RequestId", "unknown")
    return Unanswered(f"{name} ends in {code} (request {request})", code)
