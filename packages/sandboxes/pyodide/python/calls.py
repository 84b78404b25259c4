"""Calls of a script without threads: it waits for the host where it is."""

import contextlib
import math
import random
import time


class Deadlock(BaseException):
    """Raised when nothing can wake the event loop."""


class GuestCalls(Calls):
    changed = contextlib.nullcontext()

    def flush(self, marker="m", ending=""):
        text = self.output.take() + self.records() + ending
        if text or marker != "m":
            self.channel.send(marker + text)

    def wait(self, call):
        while not call.done:
            self.read()

    def read(self, seconds=None):
        """Waits for the next frame of the host, which arrives after `seconds` at the latest."""
        wake = "" if seconds is None else encode("t", str(min(math.ceil(seconds * 1000), 2**31 - 1)))
        self.flush("w", wake)
        self.take(Records(self.channel.receive()))

    def sleep(self, seconds):
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        due = time.monotonic() + seconds
        while True:
            self.rest(max(0, due - time.monotonic()))
            if time.monotonic() >= due:
                return

    # Waits for a reply, at most for the given time. A prelude may replace it.
    rest = read

    def start_first(self, op, payload):
        """Sends a call at once, regardless of how many are in flight."""
        call = Call(self)
        self.channel.send("m" + self.record(call, op, payload))
        return call

    def freeze(self, now_ms, seed):
        """From now on time only advances with `advance`, and random values come from `seed`, 32 hexadecimal digits."""
        self.channel.freeze(now_ms, seed)
        random.seed()

    def advance(self, now_ms):
        self.channel.advance(now_ms)

    def future(self, call):
        future = asyncio.get_running_loop().create_future()
        if call.done:
            future.set_result(None)
        call.futures.append((asyncio.get_running_loop(), future))
        return future
