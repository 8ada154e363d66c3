"""The page of a recipe: what was published, what stands here instead, and why.

Written from the catalogue, so that the page cannot say anything else than what is deployed. To bring
docs/recipes/ up to date: `python -m recipes.document`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from hardware import ACCELERATORS, Accelerator
from recipes.evidence import Correction
from recipes.fitting import Variant, fitted
from recipes.load import load_recipe, recipe_names
from recipes.model import Recipe

_DOCUMENTS = Path(__file__).parent.parent / "docs" / "recipes"


def document_path(recipe: Recipe) -> Path:
    """Return the file of the recipe's page."""
    return _DOCUMENTS / f"{recipe.name.replace('/', '-')}.md"


def recipe_document(recipe: Recipe) -> str:
    """Return the page as Markdown."""
    return "\n".join(
        [
            f"# {recipe.name}",
            "",
            "<!-- Written by `python -m recipes.document`; change recipes/catalogue instead. -->",
            "",
            f"{recipe.title}. `dynamo-stack recipes show {recipe.name}` prints image, services, engine "
            "options and what stands behind each GPU.",
            "",
            *_facts(recipe),
            "",
            "## Published, ours, and why",
            "",
            *_corrections(recipe),
            "",
            *_variants(recipe),
            "## Sources",
            "",
            *(f"- {source}" for source in recipe.sources),
            "",
        ]
    )


def _facts(recipe: Recipe) -> list[str]:
    return [
        f"- quantization: {_quantization(recipe)}",
        f"- KV cache: {recipe.kv_bytes_per_token:,} bytes per token in one worker",
        f"- longest prompt: {recipe.longest_prompt:,} tokens, {recipe.longest_sequence:,} with its answer",
        f"- evidence: {'; '.join(_evidence(recipe))}",
        f"- [benchmark](../benchmark.md): {_open_requests(recipe)}, ended after "
        f"{recipe.benchmark.deadline_seconds} s",
    ]


def _quantization(recipe: Recipe) -> str:
    by_family = {
        family.capitalize(): fitted(recipe, family).quantization.algorithm or "the checkpoint's default"
        for family in recipe.quantization.architecture_families
    }
    if len(set(by_family.values())) > 1:
        return ", ".join(f"{algorithm} on {family} GPUs" for family, algorithm in by_family.items())
    return f"{next(iter(by_family.values()))}, which needs {' or '.join(by_family)} GPUs"


def _evidence(recipe: Recipe) -> Iterator[str]:
    """Yield how far each group of GPUs was tried."""
    groups: dict[str, list[str]] = {}
    for accelerator in ACCELERATORS.values():
        groups.setdefault(_level(recipe, accelerator), []).append(accelerator.name)
    yield from (f"{', '.join(names)} {level}" for level, names in groups.items())


def _level(recipe: Recipe, accelerator: Accelerator) -> str:
    if accelerator.architecture_family not in recipe.quantization.architecture_families:
        return "refused"
    validated = ", validated upstream" if accelerator.name in recipe.validated_on else ""
    return f"{recipe.evidence_on(accelerator.name).level.value}{validated}"


def _open_requests(recipe: Recipe) -> str:
    per_gpu = recipe.benchmark.concurrency_per_gpu
    if per_gpu is None:
        return f"{recipe.benchmark_concurrency} requests at a time on any number of GPUs"
    return f"{per_gpu} requests per GPU on {recipe.gpus}, {recipe.benchmark_concurrency} at a time"


def _corrections(recipe: Recipe) -> list[str]:
    if not recipe.corrections:
        return ["No published recipe was corrected: its file says beside each value where that comes from."]
    told = {correction: other for correction in recipe.corrections if (other := _told_by(recipe, correction))}
    return [
        f"[The catalogue](../../recipes/catalogue/{recipe.name}.yaml) names the source of each row. "
        "Every other value is as published.",
        "",
        "| | setting | published | ours | why |",
        "|---|---|---|---|---|",
        *(_correction_row(each) for each in recipe.corrections if each not in told),
        *_as_elsewhere(recipe, told),
    ]


def _told_by(recipe: Recipe, correction: Correction) -> Recipe | None:
    """The first recipe whose page has the same correction, None where this one has it first."""
    for name in recipe_names():
        if name == recipe.name:
            return None
        if correction in load_recipe(name).corrections:
            return load_recipe(name)
    return None


def _as_elsewhere(recipe: Recipe, told: Mapping[Correction, Recipe]) -> Iterator[str]:
    """Yield a line for each page that has corrections of this recipe too."""
    here = {each.id for each in recipe.corrections if each not in told}
    for other in dict.fromkeys(elsewhere.name for elsewhere in told.values()):
        same = dict.fromkeys(
            f"{each.id} ({each.setting})" if each.id in here else each.id
            for each, elsewhere in told.items()
            if elsewhere.name == other
        )
        page = f"{document_path(load_recipe(other)).name}#published-ours-and-why"
        yield from ("", f"As for [{other}]({page}): {', '.join(same)}.")


def _correction_row(correction: Correction) -> str:
    cells = (
        correction.id,
        correction.setting,
        correction.published,
        correction.ours,
        correction.why,
    )
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    # A placeholder in angle brackets would be taken for HTML and vanish.
    return text.strip().replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def _variants(recipe: Recipe) -> Iterator[str]:
    """Yield what is different on some GPUs, or with another number of them."""
    if not recipe.variants:
        return
    yield from ("## With other GPUs", "", "| where | what is different there |", "|---|---|")
    for variant in recipe.variants:
        families = [f"{family.capitalize()} GPUs" for family in variant.families or ()]
        sizes = [] if variant.gpus is None else [f"one worker on {variant.gpus} of them"]
        yield f"| {', '.join((*families, *sizes))} | {'; '.join(_differences(variant))} |"
    yield ""


def _differences(variant: Variant) -> Iterator[str]:
    if variant.algorithm:
        yield f"quantization.algorithm `{variant.algorithm}`"
    for role, options in variant.engine.items():
        yield from (f"{role}: {name} `{_cell(json.dumps(value))}`" for name, value in options.items())
    for role, variables in variant.environment.items():
        yield from (f"{role}: `{_cell(f'{name}={value}')}`" for name, value in variables.items())


def main() -> None:
    """Write the page of every recipe."""
    for name in recipe_names():
        recipe = load_recipe(name)
        path = document_path(recipe)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(recipe_document(recipe), encoding="utf-8")


if __name__ == "__main__":
    main()
