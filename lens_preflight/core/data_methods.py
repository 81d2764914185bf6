"""What ``lens_preflight.core.data`` does at run time: the methods that all data classes share."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

MISSING: Any = object()


class Field:
    """What a class says of one field beside its type."""

    __slots__ = ("compare", "default", "factory", "hash", "repr")

    def __init__(self, default: Any, factory: Any, compare: bool, hash: bool | None, repr: bool) -> None:
        self.default = default
        self.factory = factory
        self.compare = compare
        self.hash = compare if hash is None else hash
        self.repr = repr


def field(
    *,
    default: Any = MISSING,
    default_factory: Any = MISSING,
    compare: bool = True,
    hash: bool | None = None,
    repr: bool = True,
) -> Any:
    """A field with more to say than its default."""
    return Field(default, default_factory, compare, hash, repr)


def dataclass(
    cls: type | None = None,
    *,
    frozen: bool = False,
    eq: bool = True,
    slots: bool = False,
    repr: bool = True,
) -> Any:
    """Give a class its methods, in place, or as a new class with ``slots``."""

    def made(cls: type) -> type:
        fields = fields_of(cls)
        if slots:
            cls = slotted(cls, fields)
        methods: dict[str, Any] = {"__init__": constructor(cls, fields, slots)}
        if repr:
            methods["__repr__"] = shown
        if eq:
            methods["__eq__"] = equality([name for name, f in fields.items() if f.compare])
            methods["__hash__"] = hashing([n for n, f in fields.items() if f.hash]) if frozen else None
        for name, method in methods.items():
            if name not in cls.__dict__ or cls.__dict__[name] is None:
                setattr(cls, name, method)
        if frozen:
            cls.__setattr__ = cls.__delattr__ = refuse  # type: ignore[assignment]
        more = {"__match_args__": tuple(fields), "__fields__": fields, "__signature__": Signature()}
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            more[name] = Standard(name)
        for name, value in more.items():
            setattr(cls, name, value)
        return cls

    return made if cls is None else made(cls)


def fields_of(cls: type) -> dict[str, Field]:
    """The fields of a class by name, those of its bases first."""
    fields: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get("__fields__", {}))
    for name, kind in cls.__annotations__.items():
        if str(kind).startswith("ClassVar"):
            continue
        given = cls.__dict__.get(name, MISSING)
        fields[name] = given if isinstance(given, Field) else Field(given, MISSING, True, None, True)
        if isinstance(given, Field):
            if given.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, given.default)
    return fields


def slotted(cls: type, fields: Mapping[str, Field]) -> type:
    """The same class with slots for its own fields."""
    inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    own = {key: value for key, value in cls.__dict__.items() if key not in fields}
    own.pop("__dict__", None)
    own.pop("__weakref__", None)
    own["__slots__"] = tuple(name for name in fields if name not in inherited)
    own["__reduce__"] = reduced
    made = type(cls)(cls.__name__, cls.__bases__, own)
    made.__qualname__ = cls.__qualname__
    return made


def constructor(cls: type, fields: Mapping[str, Field], slots: bool) -> Callable[..., None]:
    """``__init__``: values by place and name, defaults for the rest."""
    names = tuple(fields)
    total = len(names)
    complete = completion(cls.__name__, fields)
    defaults = tuple(f.default for f in fields.values())
    plain = all(f.factory is MISSING for f in fields.values())
    least = sum(f.default is MISSING for f in fields.values()) if plain else total
    after = getattr(cls, "__post_init__", None)
    store = object.__setattr__

    def initialise(self: Any, *values: Any, **words: Any) -> None:
        if words or not least <= len(values) <= total:
            values = complete(values, words)
        self.__dict__.update(zip(names, values + defaults[len(values) :], strict=True))
        if after is not None:
            self.__post_init__()

    def initialise_slots(self: Any, *values: Any, **words: Any) -> None:
        if words or not least <= len(values) <= total:
            values = complete(values, words)
        for name, value in zip(names, values + defaults[len(values) :], strict=True):
            store(self, name, value)
        if after is not None:
            self.__post_init__()

    return initialise_slots if slots else initialise


def completion(
    title: str, fields: Mapping[str, Field]
) -> Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, ...]]:
    """A function from the values by place and by name to one value for each field.

    Raises TypeError as a function with these parameters would.
    """
    places = {name: place for place, name in enumerate(fields)}

    def complete(values: tuple[Any, ...], words: dict[str, Any]) -> tuple[Any, ...]:
        given = len(values)
        if given > len(places):
            raise TypeError(f"{title}() takes {len(places)} values, {given} were given")
        for name in words:
            if places.get(name, -1) < given:
                what = "more than one value" if name in places else "an unexpected value"
                raise TypeError(f"{title}() got {what} for {name!r}")
        whole = list(values)
        for name, about in list(fields.items())[given:]:
            if name in words:
                whole.append(words[name])
            elif about.factory is not MISSING:
                whole.append(about.factory())
            elif about.default is not MISSING:
                whole.append(about.default)
            else:
                raise TypeError(f"{title}() needs a value for {name!r}")
        return tuple(whole)

    return complete


def values_of(names: list[str]) -> Callable[[Any], Any]:
    """A function that takes the values of some fields, for comparing."""
    return operator.attrgetter(*names) if names else type


def equality(names: list[str]) -> Callable[[Any, Any], Any]:
    """``__eq__``: of the same class, with equal values."""
    values = values_of(names)

    def equal(self: Any, other: Any) -> Any:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return equal


def hashing(names: list[str]) -> Callable[[Any], int]:
    """``__hash__`` of the values that count for it."""
    values = values_of(names)
    return lambda self: hash(values(self))


def shown(self: Any) -> str:
    """``__repr__``: as one would write it."""
    words = (f"{name}={getattr(self, name)!r}" for name, f in self.__fields__.items() if f.repr)
    return f"{type(self).__qualname__}({', '.join(words)})"


def refuse(self: Any, name: str, *_: Any) -> None:
    """``__setattr__`` and ``__delattr__`` of a frozen class."""
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


def reduced(self: Any) -> tuple[Any, ...]:
    """``__reduce__`` of a class with slots: made again from its values."""
    return type(self), tuple(getattr(self, name) for name in self.__fields__)


def replace(self: Any, **changes: Any) -> Any:
    """A copy with some values changed; of a standard data class too."""
    for kind in type(self).__mro__:
        if "__fields__" in kind.__dict__:
            break
        if "__dataclass_fields__" in kind.__dict__:
            import dataclasses

            return dataclasses.replace(self, **changes)
    for name in self.__fields__:
        if name not in changes:
            changes[name] = getattr(self, name)
    return type(self)(**changes)


def names_of(value: Any) -> tuple[str, ...]:
    """What a data object is made from, by name; nothing for any other value, and for a class."""
    for kind in type(value).__mro__:
        if "__fields__" in kind.__dict__:
            return tuple(kind.__dict__["__fields__"])
        if "__dataclass_fields__" in kind.__dict__:
            import dataclasses

            return tuple(f.name for f in dataclasses.fields(value) if f.init)
    return ()


class Standard:
    """What the standard library looks for in a data class, made when it looks: its fields, or its options."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return getattr(standard(owner), self.name)


class Signature:
    """``__signature__``, made when somebody asks."""

    def __get__(self, instance: Any, owner: type) -> Any:
        import inspect

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        found = []
        for name, about in standard(owner).__dataclass_fields__.items():
            default = owner.__fields__[name].default  # type: ignore[attr-defined]
            if owner.__fields__[name].factory is not MISSING:  # type: ignore[attr-defined]
                default = FACTORY
            given = inspect.Parameter.empty if default is MISSING else default
            found.append(inspect.Parameter(name, kind, default=given, annotation=about.type))
        return inspect.Signature(found, return_annotation=None)


class Factory:
    """Stands in a signature for a default that is made anew each time."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = Factory()


@functools.cache
def standard(owner: type) -> Any:
    """A standard data class with the same fields and options."""
    import dataclasses
    import inspect

    kind = next(base for base in owner.__mro__ if "__fields__" in base.__dict__)
    types: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        types |= inspect.get_annotations(base)
    body: dict[str, Any] = {"__annotations__": {}}
    for name, about in kind.__fields__.items():  # type: ignore[attr-defined]
        more: dict[str, Any] = {} if about.default is MISSING else {"default": about.default}
        more |= {} if about.factory is MISSING else {"default_factory": about.factory}
        body["__annotations__"][name] = types[name]
        body[name] = dataclasses.field(compare=about.compare, hash=about.hash, repr=about.repr, **more)
    frozen = kind.__setattr__ is refuse
    return dataclasses.dataclass(frozen=frozen)(type(kind.__name__, (), body))
