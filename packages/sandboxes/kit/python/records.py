"""Records and frames as `@ravi/sandbox-kit` defines them: lengths of fields count UTF-16 units."""


def encode(kind, *fields):
    return kind + "".join([f"{units(field)}:{field}" for field in fields])


def units(text):
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def whole(text):
    """Text that can be encoded: a lone surrogate becomes the replacement character."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Records:
    """Reads the records of a frame."""

    def __init__(self, text):
        self.wide = not text.isascii()
        self.data = text.encode("utf-16-le") if self.wide else text
        self.colon = b":\0" if self.wide else ":"
        self.at = 0

    def take(self, length):
        start = self.at
        self.at += length * 2 if self.wide else length
        part = self.data[start : self.at]
        return part.decode("utf-16-le") if self.wide else part

    def kind(self):
        return self.take(1)

    def field(self):
        colon = self.data.index(self.colon, self.at)
        # An odd index is between two UTF-16 units of one character.
        while self.wide and (colon - self.at) % 2:
            colon = self.data.index(self.colon, colon + 1)
        length = int(self.take((colon - self.at) // (2 if self.wide else 1)))
        self.take(1)
        return self.take(length)
