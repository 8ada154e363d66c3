"""What a person may set for a project without touching its compose file."""

from recipes.model_download import TOKEN_KEY, CacheSource, HuggingFaceDownload, S3Copy

ENV_FILE = ".env"
"""Read by Compose from beside the compose file; nothing here writes it, and it is no file to commit."""
ENV_EXAMPLE = f"{ENV_FILE}.example"
CACHE_VARIABLE = "MODEL_CACHE"
"""A directory of the host, or another volume, in place of the project's own."""
ADDRESS_VARIABLE = "BIND_ADDRESS"
"""Address of the host on which clients reach the frontend, which asks nobody who they are."""


def env_example(source: CacheSource) -> str:
    """Return the names that can be set, and no value that is a secret."""
    return "\n".join(
        [
            f"# Copy this file to {ENV_FILE} and fill in what you need; never commit {ENV_FILE}.",
            *_of_source(source),
            "",
            "# Address of this host on which clients reach the frontend, which asks nobody who they are.",
            f"#{ADDRESS_VARIABLE}=127.0.0.1",
            "",
        ]
    )


def _of_source(source: CacheSource) -> list[str]:
    directory = [
        "",
        "# Directory of this host for the model, in place of a volume of Docker's.",
        f"#{CACHE_VARIABLE}=",
    ]
    match source:
        case HuggingFaceDownload():
            return [
                "",
                "# Token of the Hugging Face hub; without one it limits downloads by address.",
                f"{TOKEN_KEY}=",
                *directory,
            ]
        case S3Copy():
            keys = ["#AWS_ACCESS_KEY_ID=", "#AWS_SECRET_ACCESS_KEY=", "#AWS_SESSION_TOKEN="]
            return ["", "# Who may read the bucket; without them the role of this host.", *keys, *directory]
        case None:
            return [
                "",
                "# Directory of this host, or volume of Docker's, that holds the model: required.",
                f"{CACHE_VARIABLE}=",
            ]
