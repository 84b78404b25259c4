"""Runs one script, from its start to its outcome."""

import gc
import inspect
import resource
import selectors
import signal
import sys
import tempfile

# The host knows this exit code.
OUT_OF_MEMORY = 77
# Reserve for reporting that the memory is used up.
SPARE_BYTES = 4 << 20
# The whole stack of a thread counts as its memory.
STACK_BYTES = 1 << 20


class Deadlock(BaseException):
    """Raised when nothing can wake the event loop."""


class WatchfulSelector(selectors.DefaultSelector):
    """Detects an event loop that waits for nothing."""

    calls = None

    def select(self, timeout=None):
        if timeout is None and not self.calls.is_waiting() and threading.active_count() == 1:
            raise Deadlock
        return super().select(timeout)


def serve(channel):
    output = Output(lambda: calls.flush())
    calls = ThreadCalls(channel, output)
    tempfile.tempdir = "/workspace"
    gc.collect()
    gc.freeze()
    channel.send("y")
    start_frame = Records(channel.receive())
    memory, cpu, limits, prelude, source = [start_frame.field() for _ in range(5)]
    limits = Records(limits)
    output.left, max_result, _max_calls, calls.max_in_flight, calls.max_input = [int(limits.field()) for _ in range(5)]
    streams = sys.stdout, sys.stderr = ConsoleStream(output, "log"), ConsoleStream(output, "error")
    limit_process(int(memory), int(cpu), lambda: tell_time_is_up(calls, streams))
    try:
        ending = ending_of(calls, prelude, source, max_result, finish)
    except MemoryError:
        free_spare()
        ending = encode("k", "memory", "")
    except Deadlock:
        ending = encode("b")
    except BaseException as error:
        ending = failure_ending(error, source)
    for stream in streams:
        stream.finish()
    calls.flush("e", ending)
    os._exit(0)


def limit_process(memory, cpu_ms, on_time_up):
    """Limits memory and processor time. The host watches both too, and ends a script that replaces its signal handlers."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory + SPARE_BYTES))
    threading.stack_size(STACK_BYTES)
    seconds = int(time_used()) + cpu_ms // 1000 + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    signal.signal(signal.SIGPROF, lambda *_: on_time_up())
    signal.setitimer(signal.ITIMER_PROF, cpu_ms / 1000)


def free_spare():
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def tell_time_is_up(calls, streams):
    if calls.channel.is_sending:
        signal.setitimer(signal.ITIMER_PROF, 0.01)
        return
    for stream in streams:
        stream.finish()
    calls.channel.send("e" + calls.output.take() + encode("k", "cpu", ""))
    os._exit(0)


def time_used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def finish(value, calls):
    """Runs the event loop until a script that is a coroutine ends."""
    if not inspect.iscoroutine(value):
        return value
    WatchfulSelector.calls = calls
    loop = asyncio.SelectorEventLoop(WatchfulSelector())
    asyncio.set_event_loop(loop)
    task = loop.create_task(value)
    return loop.run_until_complete(task)


try:
    serve(Channel(reading, writing))
except MemoryError:
    os._exit(OUT_OF_MEMORY)
