"""Calls of a script to the host: started at once, and awaited by a thread or an event loop."""

import asyncio
import collections
import threading


class HostError(Exception):
    """A call that the host failed."""

    def __init__(self, name, message, code):
        super().__init__(message)
        self.name = name
        self.code = code


class Call:
    """A call that was started. `wait()` and `await` return the reply, any number of times."""

    def __init__(self, calls):
        self.calls = calls
        self.done = False
        self.answer = ""
        self.error = None
        self.futures = []

    def wait(self):
        self.calls.wait(self)
        return self.result()

    def result(self):
        if self.error is not None:
            raise self.error
        return self.answer

    def __await__(self):
        if not self.done:
            yield from self.calls.future(self).__await__()
        return self.result()

    def settle(self, answer, error):
        self.done, self.answer, self.error = True, answer, error
        for loop, future in self.futures:
            finish = lambda future=future: future.done() or future.set_result(None)
            if asyncio._get_running_loop() is loop:
                loop.call_soon(finish)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(finish)


class Calls:
    """All calls of a run. One thread reads replies for all waiting threads."""

    def __init__(self, channel, output):
        self.channel = channel
        self.output = output
        self.changed = threading.Condition(threading.RLock())
        self.is_read = False
        self.under_way = {}
        self.queue = collections.deque()
        self.loops = set()
        self.made = 0
        self.max_in_flight = 1
        self.max_input = 0

    def start(self, op, payload):
        if not isinstance(op, str) or not isinstance(payload, str):
            raise TypeError("A call takes two strings")
        # The host counts bytes; text with more characters than that is not sent.
        if len(payload) > self.max_input:
            message = f"The arguments of the call are larger than their limit (maxCallInputBytes: {self.max_input})"
            raise HostError("RangeError", message, "E_LIMIT_CALL_INPUT")
        call = Call(self)
        with self.changed:
            self.made += 1
            self.queue.append((str(self.made), call, whole(op), whole(payload)))
            loop = asyncio._get_running_loop()
            if loop is None:
                self.flush()
            elif len(self.queue) == 1:
                # Calls of one turn of the loop are sent in one frame.
                loop.call_soon(self.flush)
        return call

    def call(self, op, payload):
        return self.start(op, payload).wait()

    def is_waiting(self):
        return bool(self.under_way or self.queue)

    def flush(self, marker="m", ending=""):
        with self.changed:
            records = []
            size = 0
            while self.queue and len(self.under_way) < self.max_in_flight and size < 1 << 22:
                number, call, op, payload = self.queue.popleft()
                self.under_way[number] = call
                records.append(encode("c", number, op, payload))
                size += len(payload)
            text = self.output.take() + "".join(records) + ending
            if text:
                self.channel.send(marker + text)

    def wait(self, call):
        self.flush()
        while not call.done:
            with self.changed:
                if self.is_read and not call.done:
                    self.changed.wait()
                if call.done:
                    return
                if self.is_read:
                    continue
                self.is_read = True
            self.read()

    def read(self):
        """Reads a frame, in the thread that has set `is_read`."""
        text = ""
        try:
            text = self.channel.receive()
        finally:
            # Atomic: a thread in between would read the next frame, although its reply has arrived.
            with self.changed:
                self.is_read = False
                self.take(Records(text))
                self.changed.notify_all()

    def take(self, records):
        for kind in iter(records.kind, ""):
            number = records.field()
            if kind == "a":
                answer, error = records.field(), None
            else:
                answer, error = "", HostError(records.field(), records.field(), records.field())
            self.under_way.pop(number).settle(answer, error)
        if self.queue:
            self.flush()

    def future(self, call):
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        with self.changed:
            if call.done:
                future.set_result(None)
            call.futures.append((loop, future))
        if loop not in self.loops:
            self.loops.add(loop)
            loop.add_reader(self.channel.reading, self.read_if_free)
        return future

    def read_if_free(self):
        """Reads for an event loop, unless a thread reads or has just read: a loop must not wait for a frame."""
        with self.changed:
            if self.is_read or not self.channel.has_input():
                return
            self.is_read = True
        self.read()
