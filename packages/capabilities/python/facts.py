"""What the text of a script says about arguments, results and names."""

import ast
import builtins

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Functions that give the items of their first argument.
SAME_ITEMS = {"list", "sorted", "reversed", "tuple"}
READ_ERRORS = {"KeyError", "LookupError", "AttributeError", "TypeError", "IndexError", "Exception", "BaseException"}


class Facts:
    def __init__(self, nodes, lines):
        self.nodes = nodes
        self.lines = lines
        self.parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        self.bound = {}
        for node in nodes:
            for name in bound_by(node):
                self.bound[name] = self.bound.get(name, 0) + 1
        self.values = {}
        for node in nodes:
            self.bind(node)

    def bind(self, node):
        """Notes the values of names that are bound once."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.bind_target(node.targets[0], node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self.bind_target(node.target, node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self.bind_target(node.target, node.iter, is_item=True)

    def bind_target(self, target, value, is_item=False):
        if isinstance(target, ast.Name) and self.bound.get(target.id) == 1:
            self.values[target.id] = (value, is_item)
        elif isinstance(target, ast.Tuple) and not is_item:
            awaited = value.value if isinstance(value, ast.Await) else value
            parts = awaited.args if is_call(awaited, "gather") else getattr(value, "elts", [])
            if len(parts) == len(target.elts) and not any(isinstance(part, ast.Starred) for part in [*parts, *target.elts]):
                for each, part in zip(target.elts, parts):
                    self.bind_target(each, part)

    # Places

    def at(self, line, offset):
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return {"line": line, "column": len(text.encode()[:offset].decode(errors="ignore")) + 1}

    def start(self, node):
        return self.at(node.lineno, node.col_offset)

    def place_of_name(self, node):
        """The place of the name in `x.name` and `x["name"]`."""
        if isinstance(node, ast.Attribute):
            place = self.at(node.end_lineno, node.end_col_offset)
            return {**place, "column": place["column"] - len(node.attr)}
        return self.start(node.slice)

    # Values

    def arguments(self, call):
        """What is known about the arguments of a call."""
        given = [*call.args]
        if any(isinstance(each, ast.Starred) for each in given):
            return None
        if len(given) > 1:
            return {"kind": "array", "items": [], **self.start(given[0])}
        first = self.value(given[0]) if given else None
        if given and (first is None or first["kind"] != "object"):
            return None if call.keywords else first
        properties = [*(first["properties"] if first else ())]
        is_whole = first is None or first["isWhole"]
        for keyword in call.keywords:
            if keyword.arg is None:
                is_whole = False
            else:
                properties.append({"name": keyword.arg, **self.start(keyword), "value": self.value(keyword.value)})
        if any(each["name"] == "$artifact" for each in properties):
            return None
        return {"kind": "object", "properties": properties, "isWhole": is_whole, **self.start(call)}

    def value(self, node, steps=0):
        """What is certain about a literal, or about a name that holds a constant."""
        place = self.start(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            number = node.operand.value
            return {"kind": "scalar", "value": -number, **place} if type(number) in (int, float) else None
        if isinstance(node, ast.Constant) and (node.value is None or type(node.value) in (str, int, float, bool)):
            return {"kind": "scalar", "value": node.value, **place}
        if isinstance(node, ast.JoinedStr):
            # Any text.
            return {"kind": "text", **place}
        if isinstance(node, (ast.List, ast.Tuple)) and not any(isinstance(each, ast.Starred) for each in node.elts):
            return {"kind": "array", "items": [self.value(each) for each in node.elts], **place}
        if isinstance(node, ast.Dict):
            return self.object(node, place)
        if isinstance(node, ast.Name) and steps < 10:
            value, is_item = self.values.get(node.id, (None, True))
            known = None if is_item else self.value(value, steps + 1)
            # A list or dict may have changed since.
            return {**known, **place} if known is not None and known["kind"] in ("scalar", "text") else None
        return None

    def object(self, node, place):
        properties = []
        is_whole = True
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                properties.append({"name": key.value, **self.start(key), "value": self.value(value)})
            else:
                is_whole = False
        if any(each["name"] == "$artifact" for each in properties):
            return None
        return {"kind": "object", "properties": properties, "isWhole": is_whole, **place}

    # Names

    def bare_calls(self):
        """Calls of names that nothing defines: they may be tools."""
        known = set(self.bound) | set(dir(builtins)) | set(names) | {"input", "__name__"}
        return [
            {"name": node.func.id, **self.start(node.func), "certain": not self.is_tried(node, {"NameError", "Exception"})}
            for node in self.nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in known
        ]

    # Results

    def reads(self):
        """The parts that the script reads from results of tools, by the path from the result."""
        spoken = {
            node.value
            for node in self.nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and self.is_spoken(node)
        }
        made = {key_of(node) for node in self.nodes if key_of(node) and not isinstance(node.ctx, ast.Load)}
        reads = []
        for node in self.nodes:
            is_attribute = isinstance(node, ast.Attribute)
            key = node.attr if is_attribute else key_of(node)
            if key is None or key in made or not isinstance(node.ctx, ast.Load) or key.startswith("__"):
                continue
            origin = self.origin(node.value)
            if origin is None:
                continue
            tool, path = origin
            certain = key not in spoken and not self.is_tried(node, READ_ERRORS)
            read = {"tool": tool, "path": path, "name": key, "attribute": is_attribute, "certain": certain}
            reads.append({**read, **self.place_of_name(node)})
        return reads

    def is_spoken(self, node):
        """True for text that says more than which part is read: one that is compared or passed on."""
        parent = self.parents.get(node)
        return not isinstance(parent, (ast.Subscript, ast.Dict, ast.Expr))

    def is_tried(self, node, errors):
        """True if code around a node handles one of these errors."""
        child, parent = node, self.parents.get(node)
        while parent is not None:
            if isinstance(parent, TRIES) and child in parent.body:
                if any(handles(handler.type, errors) for handler in parent.handlers):
                    return True
            if isinstance(parent, (ast.With, ast.AsyncWith)) and any(named(item.context_expr, "suppress") for item in parent.items):
                return True
            child, parent = parent, self.parents.get(parent)
        return False

    def origin(self, node, steps=0):
        """The tool whose result a value is, and the path to the value in it: keys, and `*` for items."""
        if steps > 20:
            return None
        follow = lambda inner, step=None: extended(self.origin(inner, steps + 1), step)
        if isinstance(node, ast.Await):
            return follow(node.value)
        if isinstance(node, ast.Call):
            tool = name_of(node.func)
            if tool is not None:
                return None if tool.lstrip("$") in QUESTIONS else (tool, [])
            if isinstance(node.func, ast.Name) and node.func.id in SAME_ITEMS and node.args:
                return follow(node.args[0])
            return None
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Slice):
                return follow(node.value)
            if isinstance(node.slice, ast.Constant) and type(node.slice.value) in (int, str):
                return follow(node.value, key_of(node) if isinstance(node.slice.value, str) else "*")
            return None
        if isinstance(node, ast.Name) and node.id in self.values:
            value, is_item = self.values[node.id]
            return follow(value, "*" if is_item else None)
        return None


def extended(origin, step):
    if origin is None or step is None:
        return origin
    tool, path = origin
    return tool, [*path, step]


def key_of(node):
    is_key = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return node.slice.value if is_key else None


def is_call(node, name):
    return isinstance(node, ast.Call) and name in (getattr(node.func, "attr", None), getattr(node.func, "id", None))


def handles(kind, errors):
    if kind is None:
        return True
    return any(getattr(each, "id", getattr(each, "attr", None)) in errors for each in ast.walk(kind))


def bound_by(node):
    """The names that a node binds."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, FUNCTIONS):
        return [node.name]
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).split(".")[0]]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return list(node.names) * 2
    return [name for field in ("name", "rest") if isinstance(name := getattr(node, field, None), str)]
