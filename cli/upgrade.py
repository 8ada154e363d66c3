"""`dynamo-stack upgrade`: another release of the platform in a stack's file."""

from collections.abc import Iterator, Sequence

from cli.output import Row, labelled, make_console, print_document, print_line, print_sections, say
from cli.terminal import confirm
from operations.errors import CommandError
from operations.upgrade.changed_objects import ChangedField, ChangedObject
from operations.upgrade.plan import PlannedUpgrade, planned_upgrade
from stacks.settings.edit import read_text, replace_text

_WIDTH = 120
_LONGEST_VALUE = 100
_FIELDS_SHOWN = 12
_ROOTS_OF_SERVICES = ("spec.components.", "spec.services.")
"""Of a graph, in either of its API versions."""


def upgrade(name: str, target: str, *, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Show what another release changes, and write it into the file once that is wanted."""
    planned = planned_upgrade(name, target)
    if planned is None:
        _say_done(name, target, as_json=as_json)
        return
    if not as_json:
        _show(planned)
    if not (yes or dry_run):
        confirm(f"Write {planned.file.name}?", otherwise=f"`dynamo-stack upgrade {name} --to {target} --yes`")
    if not dry_run:
        _write(planned)
    if as_json:
        print_document("upgrade", planned.as_json(written=not dry_run))
        return
    say(f"\n{planned.file.name}: {'nothing was written (--dry-run)' if dry_run else 'written'}; next:")
    for command in planned.next_commands:
        say(f"  {command}")


def _write(planned: PlannedUpgrade) -> None:
    # Whoever reads for a while before saying yes may have edited it meanwhile.
    if read_text(planned.file) != planned.before:
        raise CommandError(
            f"{planned.file.name} was changed by somebody else meanwhile; nothing was written\n"
            "  try: the same command again"
        )
    replace_text(planned.file, planned.after)


def _say_done(name: str, target: str, *, as_json: bool) -> None:
    if as_json:
        print_document("upgrade", {"stack": name, "from": target, "to": target, "written": False})
        return
    say(
        f"stack {name}: Pulumi.{name}.yaml has {target} already; nothing was changed\n"
        f"  `pulumi preview --stack {name}` says whether that is what runs"
    )


def _show(planned: PlannedUpgrade) -> None:
    console = make_console(_WIDTH)
    print_line(console, f"stack {planned.stack}: Dynamo platform {planned.present} -> {planned.version}")
    if planned.later:
        print_line(console, f"  {_why_steps(planned)}")
    print_line(console)
    print_line(console, planned.diff)
    print_line(console)
    print_sections(console, _rows(planned))


def _why_steps(planned: PlannedUpgrade) -> str:
    later = ", then ".join(planned.later)
    return (
        f"the first of {1 + len(planned.later)} steps: then {later}, each with a `pulumi up` of its own, "
        "because the API server's stored version of graphs moves in between"
    )


def _rows(planned: PlannedUpgrade) -> Iterator[Row]:
    compared = planned.comparison
    if compared.impossible:
        yield "COMPARED", f"with nothing: the file as it is cannot be used: {compared.impossible}"
    else:
        yield (
            "COMPARED",
            "with what the file says now; `pulumi preview` compares with what runs",
        )
        changes = [_object_text(each) for each in compared.objects]
        yield from labelled("CHANGES", changes or ["no object of this stack"])
        yield from labelled("RESTARTS", compared.effects or ("nothing",))
    if not planned.owns_platform:
        yield (
            "PLATFORM",
            f"not of this stack: {planned.version} has to run there before `pulumi up` does here",
        )
    yield from labelled("FOLLOWING", (_following_text(planned, name) for name in planned.following))
    yield from labelled("DEFINITIONS", planned.definitions)
    yield from labelled("FIXED", [", ".join(f"{key} {value}" for key, value in planned.fixed.items())])
    yield from labelled("KEPT", (f"{key}: {value}" for key, value in planned.kept.items()))
    yield from labelled("OPTIONS", planned.options)
    yield from labelled("DEFECTS", planned.defects)


def _following_text(planned: PlannedUpgrade, name: str) -> str:
    return (
        f"stack {name} joins this platform: its preview is refused until its file says {planned.version} too"
    )


def _object_text(changed: ChangedObject) -> str:
    if changed.action != "changed":
        return f"{changed.name} is {changed.action}"
    texts = _field_texts(changed.fields)
    shown = texts[:_FIELDS_SHOWN]
    if len(texts) > len(shown):
        shown.append(f"and {len(texts) - len(shown)} more: --json has them all")
    return "\n  ".join([changed.name, *shown])


def _field_texts(fields: Sequence[ChangedField]) -> list[str]:
    """Return a line a change; services of a graph that change alike share one."""
    services: dict[tuple[str, str, str, str], list[str]] = {}
    for field in fields:
        root, service, rest = _around_service(field.path)
        services.setdefault((root, rest, field.before, field.after), []).append(service)
    return [
        f"{root}{_listed(names)}{rest}: {_shortened(before)} -> {_shortened(after)}"
        for (root, rest, before, after), names in services.items()
    ]


def _around_service(path: str) -> tuple[str, str, str]:
    """Return what stands before the name of a graph's service, the name, and what stands behind it."""
    for root in _ROOTS_OF_SERVICES:
        name, dot, rest = path.removeprefix(root).partition(".")
        if path.startswith(root) and dot:
            return root, name, f".{rest}"
    return path, "", ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{','.join(names)}}}"


def _shortened(value: str) -> str:
    first, _, rest = value.partition("\n")
    return f"{first[: _LONGEST_VALUE - 1]}…" if rest or len(first) > _LONGEST_VALUE else first
