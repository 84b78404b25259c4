"""An event loop that waits for the host."""

import asyncio
import concurrent.futures

# A loop that only polls lets the host reply after so many turns.
TURNS_BEFORE_LOOK = 100


class HostLoop(asyncio.BaseEventLoop):
    def __init__(self, calls):
        super().__init__()
        self._selector = self
        self.calls = calls
        self.turns = 0

    def select(self, timeout):
        if timeout == 0:
            self.turns += 1
            if self.turns % TURNS_BEFORE_LOOK or not self.calls.is_waiting():
                return []
        elif timeout is None and not self.calls.is_waiting():
            raise Deadlock
        if timeout is None:
            self.calls.read()
        else:
            self.calls.rest(timeout)
        return []

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, function, *args):
        return asyncio.wrap_future(NoThreads().submit(function, *args), loop=self)


class NoThreads(concurrent.futures.Executor):
    """Runs each function where it is submitted, because WebAssembly has no threads here."""

    def __init__(self, *args, **options):
        pass

    def submit(self, function, /, *args, **named):
        future = concurrent.futures.Future()
        try:
            future.set_result(function(*args, **named))
        except Exception as error:
            future.set_exception(error)
        return future
