"""The arrows between the rooms: who may import whom, and what a stand-in must not know."""

import ast
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

# Room -> the rooms that it may import. cli may import all but the lab; the lab runs the program from outside.
ALLOWED = {
    "hardware": set(),
    "engines": {"hardware"},
    "recipes": {"engines", "hardware"},
    "sizing": {"engines", "hardware", "recipes"},
    "failures": {"components", "hardware", "resource_graph"},
    "components": {"hardware", "recipes", "stacks"},
    "stacks": {"engines", "hardware", "recipes", "sizing", "components", "failures", "resource_graph"},
    "comparison": {"engines", "hardware", "recipes", "stacks", "components", "resource_graph", "rules"},
    "explain": {
        "engines",
        "hardware",
        "recipes",
        "sizing",
        "stacks",
        "components",
        "resource_graph",
        "rules",
    },
    "compose": {"engines", "hardware", "recipes", "stacks", "components"},
    "resource_graph": set(),
    "rules": {"resource_graph", "engines", "hardware"},
    "policy": {"rules", "resource_graph"},
    "operations": {
        "engines",
        "hardware",
        "recipes",
        "sizing",
        "stacks",
        "comparison",
        "components",
        "failures",
        "resource_graph",
    },
    "cli": {
        "engines",
        "failures",
        "hardware",
        "recipes",
        "stacks",
        "comparison",
        "components",
        "compose",
        "operations",
        "explain",
        "resource_graph",
        "rules",
        "sizing",
    },
    "lab": set(),
}
# Inside stacks, from what is typed to what is registered; its own modules are for all four.
ALLOWED_IN_STACKS = {
    "settings": set(),
    "plan": {"settings"},
    "updates": {"settings", "plan"},
    "program": {"settings", "plan", "updates"},
}
# Inside stacks/plan, from below. A module of plan itself may import all of them; one that a room uses, none.
ALLOWED_IN_PLAN = {
    "placement": set(),
    "infrastructure": {"placement"},
    "platform": set(),
    "layers": {"placement", "infrastructure", "platform"},
}
# Of these folders and files in lab/, our names are in what others published, or in what was recorded of us.
PUBLISHED = (
    *("runtime_image/vllm_options.json", "runtime_image/models", "recordings"),
    "benchmark_image/requirements.txt",
)
OUR_NAMES = (
    "gpt-oss",
    "gpt_oss",
    "model-download",
    "model-cache",
    "hf-token",
    "trtllmprefill",
    "trtllmdecode",
    # Of the commands in our Jobs.
    "hf download",
    "aiperf==",
)


def _modules(room: str) -> list[Path]:
    return sorted((REPOSITORY / room).rglob("*.py"))


@cache
def _imports(module: Path) -> list[ast.Import | ast.ImportFrom]:
    nodes = ast.walk(ast.parse(module.read_text()))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def _imported_rooms(module: Path) -> set[str]:
    found: set[str] = set()
    for node in _imports(module):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found & (ALLOWED.keys() | {"tests"})


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_the_rooms_that_it_may(room: str) -> None:
    wrong = {
        f"{module.relative_to(REPOSITORY)} imports {other}"
        for module in _modules(room)
        for other in _imported_rooms(module) - ALLOWED[room] - {room}
    }
    assert _modules(room)
    assert wrong == set()


def test_components_know_of_a_stack_what_is_typed_and_planned_and_no_more() -> None:
    names = {name for module in _modules("components") for name in _imported_names(module)}
    assert {name.split(".")[1] for name in names if name.startswith("stacks.")} == {"plan", "settings"}


@pytest.mark.parametrize("room", ["settings", "plan"])
def test_what_components_take_imports_no_components(room: str) -> None:
    modules = _modules(f"stacks/{room}")
    assert [str(module) for module in modules if "components" in _imported_rooms(module)] == []


def _imported_names(module: Path) -> set[str]:
    """Return every module that is imported, and every name that is imported from one."""
    names: set[str] = set()
    for node in _imports(module):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif node.level == 0 and node.module:
            names |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return names


def test_only_the_registry_and_the_reader_know_the_packages_of_engines() -> None:
    packages = ("engines.tensorrt_llm", "engines.vllm")
    knows = {
        module.relative_to(REPOSITORY).as_posix()
        for room in ALLOWED.keys() - {"lab", "rules"}
        for module in _modules(room)
        if any(
            f"{name}.".startswith(f"{package}.") for name in _imported_names(module) for package in packages
        )
    }
    others = {name for name in knows if not name.startswith(("engines/tensorrt_llm/", "engines/vllm/"))}
    # Rules judge the manifests of others, of any engine; one reader takes the command lines of all engines.
    assert others == {"engines/effective.py", "engines/registry.py"}


def _imported_of_stacks(module: Path) -> set[str]:
    names = {name for name in _imported_names(module) if name.startswith("stacks.")}
    return {name.split(".")[1] for name in names} & ALLOWED_IN_STACKS.keys()


def test_stacks_has_four_rooms() -> None:
    folders = {module.relative_to(REPOSITORY).parts[1] for module in _modules("stacks")}
    assert {name for name in folders if not name.endswith(".py")} == ALLOWED_IN_STACKS.keys()
    shared = [module for module in _modules("stacks") if module.parent.name == "stacks"]
    assert [str(module) for module in shared if _imported_of_stacks(module)] == []


@pytest.mark.parametrize("room", ALLOWED_IN_STACKS)
def test_a_room_of_stacks_imports_only_those_before_it(room: str) -> None:
    wrong = {
        f"{module.relative_to(REPOSITORY)} imports stacks.{other}"
        for module in _modules(f"stacks/{room}")
        for other in _imported_of_stacks(module) - ALLOWED_IN_STACKS[room] - {room}
    }
    assert wrong == set()


def _imports_in_plan() -> dict[str, set[str]]:
    """Return each module of stacks/plan with the modules of stacks/plan that it imports."""
    paths = {
        ".".join(path.relative_to(REPOSITORY).with_suffix("").parts): path for path in _modules("stacks/plan")
    }
    modules = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    return {name: _imported_names(path) & modules.keys() - {name} for name, path in modules.items()}


def _room_of_plan(module: str) -> str | None:
    """Return the room of a module; None for a module of plan itself."""
    name = module.split(".")[2:3]
    return name[0] if name and name[0] in ALLOWED_IN_PLAN else None


def test_stacks_plan_has_four_rooms() -> None:
    folders = {module.parent.name for module in _modules("stacks/plan")} - {"plan"}
    assert folders == ALLOWED_IN_PLAN.keys()


def test_a_room_of_plan_imports_only_those_before_it() -> None:
    imports = _imports_in_plan()
    wrong = {
        f"{module} imports {other}"
        for module, others in imports.items()
        for other in others
        if (room := _room_of_plan(module))
        for used in {_room_of_plan(other)} | {_room_of_plan(each) for each in imports[other]}
        if used and used != room and used not in ALLOWED_IN_PLAN[room]
    }
    assert wrong == set()


def test_no_modules_of_plan_import_each_other_in_a_circle() -> None:
    left = _imports_in_plan()
    while last := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in last}
    assert sorted(left) == []


def test_nothing_in_production_knows_the_lab() -> None:
    production = [
        *(module for room in ALLOWED if room != "lab" for module in _modules(room)),
        REPOSITORY / "__main__.py",
    ]
    assert [str(module) for module in production if "lab" in _imported_rooms(module)] == []


def test_the_lab_does_this_product_no_favours() -> None:
    lab = REPOSITORY / "lab"
    exempt = {lab / name for name in PUBLISHED}
    files = [
        path
        for path in lab.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and not exempt & {path, *path.parents}
    ]
    assert files
    known = {
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path in files
        for name in OUR_NAMES
        if name in path.read_text(encoding="utf-8").lower()
    }
    assert known == set()
