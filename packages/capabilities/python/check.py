"""Finds the tools that a script names, before any of it runs. Deliberate uses of unknown names are not mistakes."""

import ast

# With these a script may change the meaning of a name.
REBINDERS = {"exec", "eval", "globals", "locals", "vars", "setattr", "delattr", "__builtins__", "__import__"}
TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
BINDINGS = ("name", "asname", "arg", "rest")


def check(tree, source):
    uses = tool_uses(tree, source.split("\n"))
    if uses and host.call("check", json.dumps(uses)) == "stop":
        raise Exception("The script was not run")


def tool_uses(tree, lines):
    nodes = list(ast.walk(tree))
    if any(rebinds(node) for node in nodes):
        return []
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    places = [node for node in nodes if name_of(node) is not None]
    spoken = {id(part) for node in places for part in (node.value, getattr(node, "slice", None))}
    # Code that holds `tools` itself may look for a tool in it, or add one.
    escapes = any(is_tools(node) and id(node) not in spoken for node in nodes)
    calls = [node for node in places if is_called(node, parents)]
    on_purpose = {name_of(node) for node in places if node not in calls} | {
        node.value for node in nodes if is_text(node) and id(node) not in spoken
    }
    return [
        {
            "name": name_of(node),
            "line": node.end_lineno if isinstance(node, ast.Attribute) else node.slice.lineno,
            "column": column_of(node, lines),
            "certain": not (escapes or name_of(node) in on_purpose or is_attempt(node, parents)),
        }
        for node in calls
        if name_of(node).lstrip("$") not in QUESTIONS
    ]


def name_of(node):
    """The name in `tools.name` and `tools["name"]`."""
    if isinstance(node, ast.Attribute) and is_tools(node.value) and not node.attr.startswith("__"):
        return node.attr
    if isinstance(node, ast.Subscript) and is_tools(node.value) and is_text(node.slice):
        return node.slice.value
    return None


def column_of(node, lines):
    line = lines[(node.end_lineno if isinstance(node, ast.Attribute) else node.slice.lineno) - 1]
    if isinstance(node, ast.Attribute):
        return len(line.encode()[: node.end_col_offset].decode(errors="ignore")) - len(node.attr) + 1
    return len(line.encode()[: node.slice.col_offset].decode(errors="ignore")) + 1


def is_tools(node):
    return isinstance(node, ast.Name) and node.id == "tools"


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def rebinds(node):
    if isinstance(node, ast.Name):
        return node.id in REBINDERS or (node.id == "tools" and not isinstance(node.ctx, ast.Load))
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return is_tools(node.value) and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return (node.asname or node.name).split(".")[0] in ("tools", "*")
    return any(getattr(node, field, None) == "tools" for field in BINDINGS)


def is_called(node, parents):
    """True if the tool is called there, so that an unknown tool is an error there."""
    parent = parents.get(node)
    return isinstance(parent, ast.Call) and parent.func is node


def is_attempt(node, parents):
    """True if code around a call handles its failure."""
    child, parent = node, parents.get(node)
    while parent is not None:
        if isinstance(parent, TRIES) and child in parent.body and any(map(calls_tools, parent.handlers)):
            return True
        if isinstance(parent, (ast.With, ast.AsyncWith)) and any(named(item.context_expr, "suppress") for item in parent.items):
            return True
        if isinstance(parent, ast.Call) and any(keyword.arg == "return_exceptions" for keyword in parent.keywords):
            return True
        child, parent = parent, parents.get(parent)
    return False


def calls_tools(handler):
    return any(name_of(node) is not None for node in ast.walk(handler))


def named(node, name):
    called = node.func if isinstance(node, ast.Call) else node
    return name in (getattr(called, "id", None), getattr(called, "attr", None))
