"""Results of calls: plain values with the details of their call."""

import functools


class Result:
    """Details of the call, in addition to the value."""

    status = "ok"
    ref = None
    error = None
    files = ()
    text = ""
    structured = None

    def __await__(self):
        return self
        yield


class TextResult(Result, str):
    pass


class DictResult(Result, dict):
    pass


class ListResult(Result, list):
    pass


class IntResult(Result, int):
    pass


class FloatResult(Result, float):
    pass


class ArtifactResult(Result, Artifact):
    # `text` is a method of an artifact, but an attribute of the other results.
    text = Artifact.text


class ValueResult(Result):
    """`True`, `False`, `None`, or a call that failed."""

    def __init__(self, value):
        self.value = value

    def __json__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, ValueResult) else other)

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return repr(self.value)


KINDS = {str: TextResult, dict: DictResult, list: ListResult, int: IntResult, float: FloatResult}


def result_of(value, **known):
    result = KINDS.get(type(value), ValueResult)(value)
    result.__dict__.update(known)
    return result


def read_answer(answer, tool):
    """Decodes a reply, whose first character is the kind of its value."""
    kind, rest = answer[:1], answer[1:]
    if kind == "p":
        return Unknown()
    if kind == "t":
        return result_of(rest, text=rest)
    if kind == "j":
        value = json.loads(rest)
        return result_of(value, text=rest, structured=value)
    if kind == "m":
        files, _, value = rest.partition("\n")
        result = read_answer(value, tool)
        result.files = files_of(json.loads(files))
        return result
    if kind == "a":
        info = json.loads(rest)
        return ArtifactResult(**info)
    if kind == "f":
        content = json.loads(rest)
        return result_of(content["text"], text=content["text"], files=files_of(content["files"]))
    raise error_of(json.loads(rest), tool)


def files_of(infos):
    """Places files at their paths."""
    files = [File(**info) for info in infos]
    for file in files:
        file.path()
    return files


class Unknown:
    """The unknown result of a call in a dry run. Its use ends the dry run; only `await` does not count as use."""

    def __await__(self):
        return self
        yield

    def __getattribute__(self, name):
        return use_unknown()


def use_unknown(*_, **__):
    host.call("used", "")
    raise RuntimeError("The result of this call is not known in a dry run")


# Operators look methods up in the class, not in the object.
for method in (
    "abs add and bool bytes call ceil complex contains delitem dir divmod enter eq exit float floor floordiv format ge "
    "getitem gt hash index int invert ior isub iadd imul iter json le len lshift lt matmul mod mul ne neg next or pos pow "
    "radd rand rdivmod reduce reduce_ex repr reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift "
    "rsub rtruediv rxor setattr delattr setitem str sub truediv trunc xor fspath"
).split():
    setattr(Unknown, f"__{method}__", use_unknown)


class Pending:
    """The result of a call that was started: awaitable, and waited for when it is used."""

    def __init__(self, call, read):
        self._call = call
        self._read = read
        self._result = None

    def _settled(self):
        if self._result is None:
            self._result = self._read(self._call.wait())
        return self._result

    def __await__(self):
        if self._result is None:
            self._result = self._read((yield from self._call.__await__()))
        return self._result

    def __json__(self):
        return self._settled()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._settled(), name)


def delegate(name):
    def method(self, *args):
        return getattr(self._settled(), name)(*(a._settled() if isinstance(a, Pending) else a for a in args))

    return method


for operation in (
    "getitem contains iter len bool str repr eq ne lt le gt ge int float index add radd sub rsub mul rmul truediv rtruediv fspath"
).split():
    setattr(Pending, f"__{operation}__", delegate(f"__{operation}__"))


def encode_other(self, value):
    """Makes `json` encode results, wherever a script uses it."""
    if hasattr(type(value), "__json__"):
        return value.__json__()
    raise TypeError(f"{type(value).__name__} is not JSON; pass plain data")


json.JSONEncoder.default = encode_other
