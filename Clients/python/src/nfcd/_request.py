"""A request before it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, TypeVar, Union

from .errors import ProtocolError

T = TypeVar("T")

# Bytes, or their hexadecimal digits.
Bytes = Union[bytes, str]

# Called with what is done and the total.
ProgressCallback = Callable[[int, int], None]

# The members of an object and their types: a type, a list with one shape, or a dictionary of shapes. A name that ends with
# `?` may be absent; `*` stands for any name.
Shape = Any


@dataclass(frozen=True)
class Request(Generic[T]):
    """A method with its parameters; `Client.perform` carries it out and returns a `T`."""

    method: str
    params: Dict[str, Any]


def encoded(value: Any) -> Any:
    """Returns the JSON form of a parameter: bytes as hexadecimal digits, objects without members that are `None`."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex().upper()
    if isinstance(value, dict):
        return {name: encoded(member) for name, member in value.items() if member is not None}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    return value


def octets(digits: str) -> bytes:
    """Returns the bytes of hexadecimal digits of an answer."""
    try:
        return bytes.fromhex(digits)
    except ValueError as error:
        raise ProtocolError(f"nfcd sent bytes that cannot be read: {digits[:80]!r}") from error


def mismatch(shape: Shape, value: Any, path: str) -> str:
    """Returns how a value differs from its shape; empty if it does not."""
    if shape is object:
        return ""
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{path} is not an array"
        for number, item in enumerate(value):
            found = mismatch(shape[0], item, f"{path}[{number}]")
            if found:
                return found
        return ""
    if isinstance(shape, dict):
        return _member_mismatch(shape, value, path)
    if shape is float:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    elif shape is int:
        fits = isinstance(value, int) and not isinstance(value, bool)
    else:
        fits = isinstance(value, shape)
    names = {str: "text", int: "an integer", float: "a number", bool: "true or false"}
    return "" if fits else f"{path} is not {names[shape]}"


def _member_mismatch(shape: Dict[str, Shape], value: Any, path: str) -> str:
    if not isinstance(value, dict):
        return f"{path} is not an object"
    for name, inner in shape.items():
        if name == "*":
            members = list(value)
        elif name.endswith("?"):
            name = name[:-1]
            members = [name] if value.get(name) is not None else []
        elif name in value:
            members = [name]
        else:
            return f"{path}.{name} is missing"
        for member in members:
            found = mismatch(inner, value[member], f"{path}.{member}")
            if found:
                return found
    return ""
