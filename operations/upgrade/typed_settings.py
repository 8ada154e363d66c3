"""What a person typed for one release of the runtime, which an upgrade leaves as it is."""

from stacks.settings.stack import ServingSettings

_ROLES = ("frontend", "prefill", "decode", "worker")


def typed_images(serving: ServingSettings) -> dict[str, str]:
    """Return the tags of images by their settings."""
    tags = {role: getattr(serving.image_versions, role) for role in _ROLES}
    return {f"serving.imageVersions.{role}": tag for role, tag in tags.items() if tag is not None}


def typed_for_release(serving: ServingSettings) -> dict[str, str]:
    """Return tags, options and the names of variables by their settings."""
    typed = typed_images(serving)
    for role in _ROLES:
        arguments, variables = getattr(serving.arguments, role), getattr(serving.environment, role)
        if arguments:
            typed[f"serving.arguments.{role}"] = " ".join(arguments)
        if variables:
            typed[f"serving.environment.{role}"] = ", ".join(variables)
    return typed


def has_typed_options(serving: ServingSettings) -> bool:
    """Whether options of commands are typed."""
    return any(getattr(serving.arguments, role) for role in _ROLES)
