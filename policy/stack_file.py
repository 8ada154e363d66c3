"""Where a setting stands in the stack file that the engine runs the program with."""

from collections.abc import Callable
from pathlib import Path

from resource_graph.setting_lines import SettingLines
from resource_graph.urns import stack_and_project


def places(urn: str, folder: Path) -> Callable[[str], str | None]:
    """Return what gives file and line of a setting, such as Pulumi.dev.yaml:12.

    None where there is no such file, or none that has it: a component tells what was typed, but not where,
    for a line that moves would change the component in every preview.

    Args:
        urn: of any resource of the stack.
        folder: in which the engine runs the pack: the pack's own, which lies in that of the program (pulumi
            sdk/go/common/resource/plugin/analyzer_plugin.go), or that of the program.

    """

    def place(setting: str) -> str | None:
        stack, project = stack_and_project(urn)
        name = f"Pulumi.{stack}.yaml"
        file = next((each / name for each in (folder, *folder.parents) if (each / name).is_file()), None)
        if file is None:
            return None
        lines = SettingLines(file.read_text(encoding="utf-8"), name, f"{project}:settings")
        return lines.place_of(setting)

    return place
