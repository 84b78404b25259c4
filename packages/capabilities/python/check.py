"""Reports what is certain about a script before any of it runs. Deliberate uses of unknown names are not mistakes."""

import ast

# With these a script may change the meaning of a name.
REBINDERS = {"exec", "eval", "globals", "locals", "vars", "setattr", "delattr", "__builtins__", "__import__"}
TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
BINDINGS = ("name", "asname", "arg", "rest")


def check(tree, source):
    lines = source.split("\n")
    nodes = list(ast.walk(tree))
    if any(rebinds(node) for node in nodes):
        return
    facts = Facts(nodes, lines)
    report = {"uses": tool_uses(nodes, facts), "bare": facts.bare_calls(), "reads": facts.reads()}
    if any(report.values()) and host.call("check", json.dumps(report)) == "stop":
        raise Exception("The script was not run")


def tool_uses(nodes, facts):
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
            **facts.place_of_name(node),
            "certain": not (escapes or name_of(node) in on_purpose or is_attempt(node, parents)),
            # A script that expects the `TypeError` of wrong arguments means them.
            "given": None if facts.is_tried(node, {"TypeError"}) else facts.arguments(call_of(node, parents)),
        }
        for node in places
        if call_of(node, parents) is not None and name_of(node).lstrip("$") not in QUESTIONS
    ]


def name_of(node):
    """The name in `tools.name` and `tools["name"]`."""
    if isinstance(node, ast.Attribute) and is_tools(node.value) and not node.attr.startswith("__"):
        return node.attr
    if isinstance(node, ast.Subscript) and is_tools(node.value) and is_text(node.slice):
        return node.slice.value
    return None


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


def call_of(node, parents):
    """The call of a tool, also by `safe`."""
    parent = parents.get(node)
    if isinstance(parent, ast.Attribute) and parent.attr == "safe":
        node, parent = parent, parents.get(parent)
    return parent if isinstance(parent, ast.Call) and parent.func is node else None


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
