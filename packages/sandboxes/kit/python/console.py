"""Output of a script, line by line and within its limit."""

import io


class Output:
    """Console records that wait to be sent."""

    def __init__(self, send):
        self.send = send
        self.left = 0
        self.dropped = 0
        self.pending = []
        self.pending_bytes = 0

    def line(self, level, text):
        text = whole(text)
        size = len(text.encode()) + 1
        if size > self.left:
            kept = text.encode()[: max(0, self.left - 1)].decode(errors="ignore")
            self.dropped += size - (len(kept.encode()) + 1 if kept else 0)
            if not kept:
                self.left = 0
                return
            text, size = kept, len(kept.encode()) + 1
        self.left -= size
        self.pending.append(encode("l", level, text))
        self.pending_bytes += size
        if self.pending_bytes > 8_192:
            self.send()

    def take(self):
        records = "".join(self.pending)
        self.pending, self.pending_bytes = [], 0
        if self.dropped:
            records += encode("d", str(self.dropped))
            self.dropped = 0
        return records


class ConsoleStream(io.TextIOBase):
    """Replaces `sys.stdout` and `sys.stderr`."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, output, level):
        self.output = output
        self.level = level
        self.rest = ""

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            self.output.line(self.level, line)
        if len(self.rest) > 1 << 20:
            self.finish()
        return len(text)

    def finish(self):
        if self.rest:
            self.output.line(self.level, self.rest)
            self.rest = ""
