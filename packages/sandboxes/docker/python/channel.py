"""The channel to the host, over two pipes."""

import os
import select


class Channel:
    """The channel to the host: a length in four bytes, then UTF-8."""

    def __init__(self, reading, writing):
        self.reading = reading
        self.writing = writing
        self.is_sending = False

    def has_input(self):
        return bool(select.select([self.reading], [], [], 0)[0])

    def receive(self):
        return self.read(int.from_bytes(self.read(4), "little")).decode()

    def read(self, length):
        chunks = []
        while length > 0:
            chunk = os.read(self.reading, min(length, 1 << 20))
            if not chunk:
                os._exit(0)
            chunks.append(chunk)
            length -= len(chunk)
        return b"".join(chunks)

    def send(self, text):
        body = text.encode()
        frame = memoryview(len(body).to_bytes(4, "little") + body)
        self.is_sending = True
        while frame:
            frame = frame[os.write(self.writing, frame) :]
        self.is_sending = False
