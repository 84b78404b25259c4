"""Errors as the host reports them: with a position in the lines of the script."""

import asyncio


def failure_record(error, name, source):
    line, column = syntax_place(error, name) if isinstance(error, SyntaxError) else place_of(error, name, source)
    kind = "SyntaxError" if isinstance(error, SyntaxError) else getattr(error, "name", None)
    if not isinstance(error, HostError) and not isinstance(error, SyntaxError):
        kind = type(error).__name__
    code = "E_LIMIT_STACK" if isinstance(error, RecursionError) else getattr(error, "code", "")
    return encode("x", whole(str(kind)), message_of(error), code if isinstance(code, str) else "", line, column)


def message_of(error):
    try:
        return whole(str(error.msg if isinstance(error, SyntaxError) else error))[:100_000]
    except Exception:
        return "The error has no message that can be read"


def syntax_place(error, name):
    if error.filename != name or error.lineno is None:
        return "", ""
    return str(error.lineno), str(max(1, error.offset or 1))


def place_of(error, name, source):
    """The innermost line of the script in the traceback."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            found = trace
        trace = trace.tb_next
    if found is None or found.tb_lineno is None:
        return "", ""
    lines = source.split("\n")
    text = lines[found.tb_lineno - 1] if found.tb_lineno <= len(lines) else ""
    return str(found.tb_lineno), str(column_of(found, text))


def column_of(trace, text):
    code = trace.tb_frame.f_code
    # Python reports columns since 3.11, in bytes.
    positions = list(code.co_positions()) if hasattr(code, "co_positions") else []
    index = trace.tb_lasti // 2
    offset = positions[index][2] if index < len(positions) else None
    if offset is None:
        return len(text) - len(text.lstrip()) + 1
    return len(text.encode()[:offset].decode(errors="ignore")) + 1
