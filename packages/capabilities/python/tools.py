"""`tools`: a function for every tool, and the output files of a script."""

import mimetypes
import sys

OUT = "/workspace/out"
MAX_FILE_BYTES = 8_388_608
QUESTIONS = {"search": "query", "describe": "name"}


class Tool:
    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return f"tools[{self.__name__!r}]"

    def __start__(self, *args, **named):
        return Pending(host.start(*self.request(args, named)), functools.partial(read_answer, tool=self.__name__))

    def __call__(self, *args, **named):
        return read_answer(host.call(*self.request(args, named)), self.__name__)

    def safe(self, *args, **named):
        """Calls the tool; returns the result with `status` and `error` instead of raising."""
        try:
            return self(*args, **named)
        except ToolError as error:
            return result_of(None, status=error.status, error=error, text=str(error))

    def request(self, args, named):
        name = self.__name__
        if name.lstrip("$") in QUESTIONS and args and isinstance(args[0], str):
            options = {key: named.pop(key) for key in list(named) if key != "detail"}
            detail = {"detail": args[1]} if len(args) > 1 else {}
            given = {QUESTIONS[name.lstrip("$")]: args[0], **detail, **named, "options": options}
            return "ask", f"{name}\n{json.dumps(given)}"
        if len(args) > 1 or (args and not isinstance(args[0], dict)):
            raise TypeError(f"tools.{name} takes named arguments, or one dict of them")
        try:
            text = json.dumps({**(args[0] if args else {}), **named}, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise TypeError(f"tools.{name}: {error}") from None
        return "call", f"{name}\n{text}"


class Tools:
    _names = []

    def __contains__(self, name):
        return name in self._names

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def __dir__(self):
        return list(self._names)

    def __bool__(self):
        return True

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Tool(name)

    def __getitem__(self, name):
        return Tool(name)


def finish():
    """Sends the files that the script wrote to `/workspace/out` to the host."""
    for folder, _, files in os.walk(OUT):
        for name in sorted(files):
            place = os.path.join(folder, name)
            # A FIFO has no end, and a link may be broken.
            if not os.path.isfile(place):
                print(f"{place} was not kept: it is not a file", file=sys.stderr)
                continue
            size = os.path.getsize(place)
            if size > MAX_FILE_BYTES:
                print(f"{place} was not kept: {size} bytes; the limit is {MAX_FILE_BYTES}", file=sys.stderr)
                continue
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            with io.open(place, "rb") as file:
                host.call("store-file", f"{place}\n{kind}\n{base64.b64encode(file.read()).decode()}")


os.makedirs(OUT, exist_ok=True)
names = {
    "tools": Tools(),
    "artifacts": Artifacts(),
    "ToolError": ToolError,
    "ToolDeniedError": ToolDeniedError,
    "ToolTimeoutError": ToolTimeoutError,
    "BudgetError": BudgetError,
}
