"""Wait until the frontend lists the model; runs inside the benchmark Job, before the load.

Its text is an argument of the Job's command and nothing of this project is installed there, so it imports the
standard library alone. /health is no use here: it says healthy with no model at all.
"""

import json
import os
import sys
import time
import urllib.request

_TIMEOUT_SECONDS = 10


def main() -> int:
    """Return the exit code: 0 as soon as the model is listed, 1 after the last attempt."""
    url, model = os.environ["MODELS_URL"], os.environ["SERVED_MODEL_NAME"]
    attempts, pause = int(os.environ["WAIT_ATTEMPTS"]), float(os.environ["WAIT_SECONDS"])
    answer = ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(pause)
        listed, answer = _listed(url)
        if model in listed:
            print(f"{url} lists {model}", flush=True)
            return 0
    print(f"{url} never listed {model} in {attempts} attempts; last answer: {answer}", file=sys.stderr)
    return 1


def _listed(url: str) -> tuple[list[str], str]:
    """Return the models that the frontend lists, and its answer in words."""
    try:
        # The URL is of the graph's own Service, never a user's.
        with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310
            models = [str(entry["id"]) for entry in json.load(response)["data"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [], f"{type(error).__name__}: {error}"
    return models, ", ".join(models) or "no models"


if __name__ == "__main__":
    sys.exit(main())
