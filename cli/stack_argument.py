"""The name of a stack, as a person types it."""


def stack_name(text: str) -> str:
    """The stack that a person means, who may have let the shell complete its file's name."""
    return text.removeprefix("./").removeprefix("Pulumi.").removesuffix(".yaml")
