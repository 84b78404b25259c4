"""Stored results and files, read part by part from the host or as a local file."""

import base64
import io
import json
import os

CHUNK = 1_048_576
ARTIFACTS = "/workspace/artifacts"


class Artifact:
    """A stored result. As an argument of a tool it is replaced by its content."""

    def __init__(self, ref, mediaType, bytes):
        self.ref = ref
        self.media_type = mediaType
        self.size = bytes

    def __repr__(self):
        return f"{type(self).__name__}({self.ref!r}, {self.media_type}, {self.size} bytes)"

    def __json__(self):
        return {"$artifact": self.ref}

    def chunks(self):
        for offset in range(0, self.size, CHUNK):
            yield base64.b64decode(host.call("read-bytes", f"{self.ref}\n{offset}\n{CHUNK}"))

    def bytes(self):
        return b"".join(self.chunks())

    def text(self):
        return self.bytes().decode("utf-8", "replace")

    def json(self):
        return json.loads(self.bytes())

    def lines(self):
        """The lines without their terminators."""
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace").rstrip("\r") for line in lines)
        if rest:
            yield rest.decode("utf-8", "replace")

    def path(self):
        """The path of a local file with the content."""
        place = os.path.join(ARTIFACTS, "".join(c if c.isalnum() else "-" for c in self.ref))
        if not os.path.exists(place):
            self.save(place)
        return place

    def open(self, mode="rb"):
        return open(self.path(), mode)

    def save(self, place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with io.open(place, "wb") as file:
            for chunk in self.chunks():
                file.write(chunk)


class File(Artifact):
    """A file that a tool returned, available at its path."""

    def __init__(self, artifactRef, mediaType, bytes, path, name=None):
        super().__init__(artifactRef, mediaType, bytes)
        self.place = path
        self.name = name

    def __await__(self):
        """Lets a script await `put`, as it does in JavaScript and with calls of tools."""
        yield from ()
        return self

    def __fspath__(self):
        return self.path()

    def path(self):
        if not os.path.exists(self.place):
            self.save(self.place)
        return self.place


class Artifacts:
    """`artifacts` of scripts: keeps what a script made."""

    def put(self, data, name=None, media_type=None):
        """Stores text, bytes or a value as JSON under a name, and returns its handle."""
        if not isinstance(name, str):
            raise TypeError('artifacts.put takes a name, for example artifacts.put(text, name="report.csv")')
        if media_type is not None and not isinstance(media_type, str):
            raise TypeError('artifacts.put takes a media type as text, for example "text/csv"')
        if isinstance(data, Artifact):
            raise TypeError("artifacts.put takes text, bytes or a value: an artifact is stored already")
        is_bytes = isinstance(data, (bytes, bytearray, memoryview))
        if is_bytes:
            content = base64.b64encode(data).decode()
        elif isinstance(data, str):
            content = data
        else:
            content = json.dumps(data, ensure_ascii=False, allow_nan=False)
            media_type = media_type or "application/json"
        header = {"name": name, "isBase64": is_bytes}
        if media_type is not None:
            header["mediaType"] = media_type
        return File(**json.loads(host.call("put", f"{json.dumps(header)}\n{content}")))
