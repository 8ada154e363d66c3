"""Where in a stack's settings, or in a recipe, a finding of pydantic's lies, and what may stand there.

Pydantic's location of a finding also names which model of a union it tried, so that `platform.nats.members`
arrives as platform, own, nats, own, members. In the file `own` is a value of `kind`, no key.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from resource_graph.printable import dotted
from stacks.settings.setting_types import ANY_TEXT, TextForm
from stacks.wording import alternatives

Location = tuple[int | str, ...]

_KEY_OF_MAPPING = "[key]"
_PLAIN: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Any: "anything",
}


@dataclass(frozen=True, slots=True)
class Place:
    """One place in a file."""

    path: Location
    """The keys and list positions that lead to it in the file."""
    choices: tuple[Any, ...]
    """The types that it may have, without None; empty where the file has no such place."""
    metadata: tuple[Any, ...] = ()
    """What pydantic requires beside the type."""
    is_key: bool = False
    """The finding is about the last key itself, not about its value."""

    @property
    def models(self) -> tuple[type[BaseModel], ...]:
        """The models among the choices."""
        return tuple(choice for choice in self.choices if _is_model(choice))

    @property
    def words(self) -> tuple[Any, ...]:
        """The values of the literals among the choices."""
        literals = (choice for choice in self.choices if get_origin(choice) is Literal)
        return tuple(value for literal in literals for value in get_args(literal))

    @property
    def kinds(self) -> dict[str, type[BaseModel]]:
        """The models among the choices by the word that `kind` has in them."""
        return {kind: model for model in self.models if (kind := kind_of(model))}

    @property
    def form(self) -> TextForm:
        """The form that text has to have."""
        return next((entry for entry in self.metadata if isinstance(entry, TextForm)), ANY_TEXT)

    @property
    def takes(self) -> str:
        """What may stand there, in words."""
        shown = [str(word) for word in self.words]
        if self.kinds:
            shown.append(f"a mapping with kind: {alternatives(list(self.kinds))}")
        elif self.models:
            shown.append("a mapping")
        for choice in self.choices:
            if get_origin(choice) is tuple:
                shown.append(f"a list: {choice_place(get_args(choice)[0]).takes}")
            elif _is_mapping(choice):
                key, value = (choice_place(part).takes for part in get_args(choice))
                shown.append(f"a mapping of {key} -> {value}")
            elif choice is str:
                shown.append(self.form.words)
            elif choice in _PLAIN:
                shown.append(_PLAIN[choice])
        return alternatives(shown)

    def __str__(self) -> str:
        return dotted(self.path)


def place_of(root: type[BaseModel], location: Location) -> Place:
    """Return the place that pydantic's location means in a file of this model."""
    above = place = Place((), (root,))
    for part in location:
        chosen = [choice for choice in place.choices if part == _tag(choice)]
        if chosen and len(place.choices) > 1:
            place = replace(place, choices=tuple(chosen))
        elif part == _KEY_OF_MAPPING:
            keys = [get_args(choice)[0] for choice in above.choices if _is_mapping(choice)]
            place = replace(choice_place(keys[0]), path=place.path, is_key=True)
        else:
            above, place = place, replace(_inside(place.choices, part), path=(*place.path, part))
    return place


def field_place(field: FieldInfo) -> Place:
    """Return what may stand in a field, wherever its model is."""
    choices, metadata = _unwrapped(field.annotation)
    return Place((), choices, (*field.metadata, *metadata))


def choice_place(annotation: Any) -> Place:
    """Return what an annotation allows, such as that of a list's items."""
    return Place((), *_unwrapped(annotation))


def blocks_of(root: type[BaseModel], path: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield the model and all models in it, each with its path in the file, in the order of the keys."""
    yield path, root
    for key, field in fields_of(root).items():
        mark = "[]" if any(get_origin(each) is tuple for each in field_place(field).choices) else ""
        for model in _models_of(field.annotation):
            yield from blocks_of(model, f"{path}.{key}{mark}".removeprefix("."))


def models_within(model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return the model and all models in it, each once, in the order in which they are written."""
    return list(dict.fromkeys(each for _, each in blocks_of(model)))


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by their keys in YAML."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def kind_of(model: type[BaseModel]) -> str | None:
    """Return the word that `kind` has in this model of a union; None for any other model."""
    field = model.model_fields.get("kind")
    return get_args(field.annotation)[0] if field and get_origin(field.annotation) is Literal else None


def _models_of(annotation: Any) -> list[type[BaseModel]]:
    """Return the models that an annotation names, such as the one in `tuple[NodePoolSettings, ...]`."""
    if _is_model(annotation):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_of(part)]


def _tag(choice: Any) -> str | None:
    """Return what a location calls this choice of a union."""
    if _is_model(choice):
        return kind_of(choice) or choice.__name__
    if get_origin(choice) is Literal:
        return get_args(choice)[0]
    return "str" if choice is str else None


def _inside(choices: tuple[Any, ...], part: int | str) -> Place:
    """Return what the first of the choices that has the key or position takes there."""
    for choice in choices:
        if _is_model(choice):
            if part in (fields := fields_of(choice)):
                return field_place(fields[part])
        elif get_origin(choice) is tuple:
            return choice_place(get_args(choice)[0])
        elif _is_mapping(choice):
            return choice_place(get_args(choice)[1])
    return Place((), ())


def _unwrapped(annotation: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the types in an annotation without None, and what `Annotated` adds to them."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        choices, more = _unwrapped(inner)
        return choices, (*metadata, *more)
    if get_origin(annotation) in {Union, types.UnionType}:
        parts = [_unwrapped(part) for part in get_args(annotation) if part is not type(None)]
        return (
            tuple(choice for choices, _ in parts for choice in choices),
            tuple(entry for _, metadata in parts for entry in metadata),
        )
    return (annotation,), ()


def _is_model(choice: Any) -> bool:
    return isinstance(choice, type) and issubclass(choice, BaseModel)


def _is_mapping(choice: Any) -> bool:
    return get_origin(choice) is Mapping
