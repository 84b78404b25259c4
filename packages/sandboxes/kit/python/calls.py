"""Calls of a script to the host: started at once, waited for or awaited."""

import asyncio
import collections


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
        self.when_done = None

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
        if self.when_done is not None:
            self.when_done()
        for loop, future in self.futures:
            finish = lambda future=future: future.done() or future.set_result(None)
            if asyncio._get_running_loop() is loop:
                loop.call_soon(finish)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(finish)


class Calls:
    """All calls of a run. A guest adds `flush`, which sends what is queued, `wait` and `future`."""

    error = HostError

    # Decodes a reply: returns the text and the error. A prelude may replace it.
    decode = None

    def __init__(self, channel, output):
        self.channel = channel
        self.output = output
        self.under_way = {}
        self.queue = collections.deque()
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
            self.queue.append((call, whole(op), whole(payload)))
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

    def records(self):
        """Takes the records of the calls that may be sent now."""
        records = []
        size = 0
        while self.queue and len(self.under_way) < self.max_in_flight and size < 1 << 22:
            call, op, payload = self.queue.popleft()
            records.append(self.record(call, op, payload))
            size += len(payload)
        return "".join(records)

    def record(self, call, op, payload):
        self.made += 1
        self.under_way[str(self.made)] = call
        return encode("c", str(self.made), op, payload)

    def take(self, records):
        """Settles the calls whose replies are in a frame."""
        for kind in iter(records.kind, ""):
            if kind == "w":
                continue
            number = records.field()
            if kind == "a":
                answer, error = records.field(), None
                if self.decode is not None:
                    answer, error = self.decode(answer)
            else:
                answer, error = "", HostError(records.field(), records.field(), records.field())
            self.under_way.pop(number).settle(answer, error)
