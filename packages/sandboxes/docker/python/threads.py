"""Calls of scripts that may have threads: one thread reads replies for all that wait."""

import asyncio
import threading


class ThreadCalls(Calls):
    def __init__(self, channel, output):
        super().__init__(channel, output)
        self.changed = threading.Condition(threading.RLock())
        self.is_read = False
        self.loops = set()

    def flush(self, marker="m", ending=""):
        with self.changed:
            records = self.records()
            text = self.output.take() + records + ending
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
                if self.queue:
                    self.flush()
                self.changed.notify_all()

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
