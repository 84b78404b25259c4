"""The prelude, the script and its outcome."""

import sys
import types

SCRIPT = "script.py"


def ending_of(calls, prelude, source, max_result, finish):
    """Runs the prelude and the script; returns the record of its value. `finish` runs a coroutine to its end."""
    setting = {"__name__": "prelude", "host": calls}
    exec(compile(prelude, "prelude.py", "exec", dont_inherit=True), setting)
    code, is_function = compile_script(source, SCRIPT, setting.get("check"))
    module = types.ModuleType("__main__")
    names = module.__dict__
    names.update(setting.get("names", {}))
    names[START] = start
    # Pickle, dataclasses and typing look here for the definitions of a script.
    sys.modules["__main__"] = module
    if "begin" in setting:
        setting["begin"]()
    value = finish(run(code, names, is_function), calls)
    if not is_function:
        value = names.get(VALUE)
        value = names.get("result") if value is None else value
    if "finish" in setting:
        setting["finish"]()
    if value is None and not (is_function and VALUE in names):
        return encode("u")
    text = to_json(value)
    size = len(text.encode())
    return encode("k", "result", str(size)) if size > max_result else encode("r", text)


def run(code, names, is_function):
    if is_function:
        exec(code, names)
        return names.pop(BODY)()
    return eval(code, names)


def failure_ending(error, source):
    """The record of the error with which a script ended."""
    if isinstance(error, SystemExit) and not error.code:
        return encode("u")
    return failure_record(error, SCRIPT, source)
