"""Makes a script repeatable: time advances only with replies, which arrive one at a time and in the recorded order."""

import math
import time

# The host keeps so many wakes of a script.
MAX_WAKES = 8


class DurableTime:
    """Waits with wakes that the host records. One wake is kept until it is due; another is needed only if it is earlier."""

    def __init__(self, calls):
        self.calls = calls
        self.dues = []

    def rest(self, seconds):
        """Waits for the next reply, at most for the given time."""
        due = time.time() * 1000 + math.ceil(seconds * 1000)
        if len(self.dues) < MAX_WAKES and all(due < other for other in self.dues):
            self.dues.append(due)
            wake = self.calls.start_first("wake", repr(due))
            wake.when_done = lambda: self.dues.remove(due)
        self.calls.read()


def decode(text):
    """A reply is `<time>`, a line break, then `v` and the text, or `x` and an error in JSON."""
    now, _, body = text.partition("\n")
    host.advance(float(now))
    if body[:1] == "v":
        return body[1:], None
    failure = json.loads(body[1:])
    return "", host.error(failure["name"], failure["message"], failure["code"])


def begin():
    host.max_in_flight = beginning["maxInFlight"]
    host.decode = decode
    host.rest = DurableTime(host).rest
    host.freeze(beginning["now"], beginning["seed"])
