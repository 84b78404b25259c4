"""Runs one script, from its start to its outcome."""

import gc
import inspect
import os
import random
import signal
import sys
import tempfile

# Loaded here, so that scripts do not wait for the most common imports.
import base64, collections, csv, datetime, decimal, functools, hashlib, io, itertools, json, mimetypes, re, statistics, string, textwrap, types, typing  # noqa: E401


class Channel:
    """The functions of the isolate that reach the host."""

    def __init__(self, functions):
        self.receive = functions.receive
        self.send = functions.send
        self.freeze = functions.freeze
        self.advance = functions.advance
        self.spare = functions.spare


def serve(functions, limits, prelude, source):
    functions = Channel(functions)
    output = Output(lambda: calls.flush())
    calls = GuestCalls(functions, output)
    limits = Records(limits)
    output.left, max_result, _max_calls, calls.max_in_flight, calls.max_input = [int(limits.field()) for _ in range(5)]
    streams = sys.stdout, sys.stderr = ConsoleStream(output, "log"), ConsoleStream(output, "error")
    connect(calls)
    # The generator of the snapshot has the same state in every run.
    random.seed()

    def finish_loop(value, calls):
        return value if not inspect.iscoroutine(value) else asyncio.new_event_loop().run_until_complete(value)

    def end_now(*_):
        for stream in streams:
            stream.finish()
        calls.flush()
        calls.flush("e", encode("k", "cpu", ""))
        raise SystemExit

    signal.signal(signal.SIGINT, end_now)
    try:
        ending = ending_of(calls, prelude, source, max_result, finish_loop)
    except MemoryError:
        functions.spare()
        ending = encode("k", "memory", "")
    except Deadlock:
        ending = encode("b")
    except BaseException as error:
        ending = failure_ending(error, source)
    for stream in streams:
        stream.finish()
    calls.flush("e", ending)


class HostPolicy(asyncio.events._AbstractEventLoopPolicy):
    """Makes every event loop one that waits for the host."""

    loop = None

    def __init__(self, calls):
        self.calls = calls

    def get_event_loop(self):
        if self.loop is None:
            raise RuntimeError("There is no current event loop")
        return self.loop

    def set_event_loop(self, loop):
        self.loop = loop

    def new_event_loop(self):
        return HostLoop(self.calls)


def connect(calls):
    """Makes the standard library wait for the host, and removes the modules that lead out of Python."""
    time.sleep = calls.sleep
    concurrent.futures.ThreadPoolExecutor = NoThreads
    asyncio._set_running_loop(None)
    asyncio.run = asyncio.runners.run
    asyncio.events._set_event_loop_policy(HostPolicy(calls))
    tempfile.tempdir = "/workspace"
    os.makedirs("/workspace", exist_ok=True)
    os.chdir("/workspace")
    for name in list(sys.modules):
        if name.split(".")[0] in OUTSIDE:
            del sys.modules[name]
    sys.meta_path.insert(0, NoWayOut)


# Modules of Pyodide that reach JavaScript, and with it the isolate around the interpreter.
OUTSIDE = {"js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "micropip"}


class NoWayOut:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in OUTSIDE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


gc.collect()
gc.freeze()
