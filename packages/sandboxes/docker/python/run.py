"""One script, from its start to its one outcome."""

import gc
import inspect
import resource
import selectors
import sys
import tempfile
import types

SCRIPT = "script.py"


class Deadlock(BaseException):
    """Nothing will wake the event loop."""


class WatchfulSelector(selectors.DefaultSelector):
    """Tells a loop that waits for nothing."""

    calls = None

    def select(self, timeout=None):
        if timeout is None and not self.calls.is_waiting() and threading.active_count() == 1:
            raise Deadlock
        return super().select(timeout)


def serve(channel):
    output = Output(lambda: calls.flush())
    calls = Calls(channel, output)
    tempfile.tempdir = "/workspace"
    gc.collect()
    gc.freeze()
    channel.send("y")
    start_frame = Records(channel.receive())
    memory, cpu, limits, prelude, source = [start_frame.field() for _ in range(5)]
    limits = Records(limits)
    output.left, max_result, _max_calls, calls.max_in_flight, calls.max_input = [int(limits.field()) for _ in range(5)]
    limit_process(int(memory), int(cpu))
    streams = sys.stdout, sys.stderr = ConsoleStream(output, "log"), ConsoleStream(output, "error")
    try:
        ending = ending_of(calls, prelude, source, max_result)
    except Deadlock:
        ending = encode("b")
    except SystemExit as stop:
        ending = encode("u") if not stop.code else failure_record(stop, SCRIPT, source)
    except BaseException as error:
        ending = failure_record(error, SCRIPT, source)
    for stream in streams:
        stream.finish()
    calls.flush("e", ending)
    os._exit(0)


def limit_process(memory, cpu_ms):
    """What the host's eye may miss; the host looks at both as well."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
    seconds = int(time_used()) + cpu_ms // 1000 + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def time_used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def ending_of(calls, prelude, source, max_result):
    setting = {"__name__": "prelude", "host": calls}
    exec(compile(prelude, "prelude.py", "exec", dont_inherit=True), setting)
    code, is_function = compile_script(source, SCRIPT, setting.get("check"))
    module = types.ModuleType("__main__")
    names = module.__dict__
    names.update(setting.get("names", {}))
    names[START] = start
    # Where pickle, dataclasses and typing look for what a script defines.
    sys.modules["__main__"] = module
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


def finish(value, calls):
    """Waits for a script that is a coroutine."""
    if not inspect.iscoroutine(value):
        return value
    WatchfulSelector.calls = calls
    loop = asyncio.SelectorEventLoop(WatchfulSelector())
    asyncio.set_event_loop(loop)
    task = loop.create_task(value)
    return loop.run_until_complete(task)


serve(Channel(reading, writing))
