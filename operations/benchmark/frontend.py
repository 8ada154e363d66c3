"""What a frontend says of the models that it serves."""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any, cast

from operations.errors import CommandError
from stacks.nearest import nearest

_SECONDS = 10


def served_model(url: str, wanted: str | None) -> str:
    """Return the model to measure: the wanted one, or the only one that is served.

    Raises:
        CommandError: nobody answers, or the model is not served.

    """
    models = _listed(url)
    served = ", ".join(models) or "no model"
    if wanted is None:
        if len(models) == 1:
            return models[0]
        hint = "  try: --model NAME" if models else "  try: wait until its workers have registered"
        raise CommandError(f"{url} serves {served}\n{hint}")
    if wanted in models:
        return wanted
    meant = nearest(wanted, models)
    hint = f"\n  try: --model {meant}" if meant else ""
    raise CommandError(f"{url} does not serve {wanted}: it serves {served}{hint}")


def _listed(url: str) -> Sequence[str]:
    # Not through a proxy of the environment: AIPerf uses none either.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    address = f"{url}/v1/models"
    try:
        with opener.open(address, timeout=_SECONDS) as answer:
            document = cast("dict[str, Any]", json.load(answer))
        return [str(entry["id"]) for entry in document["data"]]
    except urllib.error.HTTPError as error:
        raise CommandError(f"{address} answers HTTP {error.code}: no frontend of Dynamo") from None
    except OSError as error:
        reason = getattr(error, "reason", None) or error
        raise CommandError(f"{address} does not answer within {_SECONDS} s: {reason}") from None
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"{address} answers what is no list of models: no frontend of Dynamo") from None
