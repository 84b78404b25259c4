"""The value of a script as JSON."""

import datetime
import json
import math

MAX_DEPTH = 200
HINTS = {
    "set": "give a list: sorted(…) or list(…)",
    "frozenset": "give a list: sorted(…) or list(…)",
    "bytes": "give text: decode()",
    "coroutine": "await it",
    "generator": "give a list: list(…)",
    "complex": "give its parts",
    "Decimal": "give float(…) or str(…)",
}


class RefusedValue(TypeError):
    code = "E_RESULT_NOT_JSON"


def to_json(value):
    return json.dumps(plain(value, "$", ()), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def plain(value, path, above):
    """The value as plain JSON data. An object with `__json__` provides its own."""
    while hasattr(type(value), "__json__"):
        value = value.__json__()
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if not isinstance(value, (dict, list, tuple)):
        kind = type(value).__name__
        hint = HINTS.get(kind, "give its parts as a dict, list, text or number")
        raise RefusedValue(f"The script returned a {kind} at {path}; {hint}")
    if any(value is other for other in above):
        raise RefusedValue(f"The script returned a cycle at {path}")
    if len(above) >= MAX_DEPTH:
        raise RefusedValue(f"The script returned a value deeper than {MAX_DEPTH} levels")
    above = (*above, value)
    if isinstance(value, dict):
        return {key_of(key, path): plain(item, f"{path}.{key}", above) for key, item in value.items()}
    return [plain(item, f"{path}[{index}]", above) for index, item in enumerate(value)]


def key_of(key, path):
    if isinstance(key, str):
        return whole(key)
    if isinstance(key, (bool, int, float)) or key is None:
        return json.dumps(key)
    raise RefusedValue(f"The script returned a dict at {path} with a key of type {type(key).__name__}; use text")
