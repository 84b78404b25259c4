"""Makes a script runnable: `return` and `await` at its top level, the value of its last expression, concurrent calls."""

import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = FUNCTIONS + (ast.ClassDef,)
WAITING = (ast.Await, ast.AsyncFor, ast.AsyncWith)
# Names that a script cannot contain.
VALUE = " value"
START = " start"
BODY = " body"
# Functions whose arguments are awaited later.
TAKERS = {"gather", "create_task", "ensure_future", "wait", "wait_for", "as_completed", "append", "add", "put"}


def compile_script(source, name, check=None):
    """Compiles a script; also returns True if it is the body of a function. `check` sees the original tree."""
    tree = ast.parse(source, name)
    if check is not None:
        check(tree, source)
    if any(isinstance(node, WAITING) or name_of(node) == "gather" for node in ast.walk(tree)):
        Starts().visit(tree)
    top = list(nodes_of(tree))
    returns = any(isinstance(node, ast.Return) for node in top)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        tree.body[-1] = ast.copy_location(
            ast.Return(last.value) if returns else ast.Assign([ast.Name(VALUE, ast.Store())], last.value), last
        )
    if returns:
        wrap(tree, any(isinstance(node, WAITING) or is_async_comprehension(node) for node in top))
    ast.fix_missing_locations(tree)
    flags = 0 if returns else ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compile(tree, name, "exec", flags=flags, dont_inherit=True), returns


def wrap(tree, waits):
    kind = ast.AsyncFunctionDef if waits else ast.FunctionDef
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = kind(name=BODY, args=nothing, body=tree.body, decorator_list=[], lineno=1, col_offset=0)
    if "type_params" in kind._fields:
        function.type_params = []
    tree.body = [function]


def nodes_of(tree):
    """The nodes of a scope, without those of its functions and classes."""
    for child in ast.iter_child_nodes(tree):
        yield child
        if not isinstance(child, SCOPES):
            yield from nodes_of(child)


def is_async_comprehension(node):
    return isinstance(node, ast.comprehension) and bool(node.is_async)


def name_of(node):
    return getattr(node, "attr", None) or getattr(node, "id", None)


class Starts(ast.NodeTransformer):
    """
    Turns calls that are passed on (awaited, gathered, listed, returned) into starts: the tool begins at once, and its
    result is awaited where it is used. A call inside a `try` that catches its errors stays a call.
    """

    def __init__(self):
        self.tries = 0

    def visit_Await(self, node):
        node.value = self.start(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node):
        if name_of(node.func) == START:
            return node
        if name_of(node.func) in TAKERS:
            node.args = self.starts(node.args)
        return self.generic_visit(node)

    def visit_Try(self, node):
        self.tries += 1
        node.body = [self.visit(statement) for statement in node.body]
        self.tries -= 1
        for field in ("handlers", "orelse", "finalbody"):
            setattr(node, field, [self.visit(part) for part in getattr(node, field)])
        return node

    visit_TryStar = visit_Try

    def visit_scope(self, node):
        outer, self.tries = self.tries, 0
        if isinstance(node, ast.Lambda):
            node.body = self.handed_on(node.body)
        node = self.generic_visit(node)
        self.tries = outer
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_scope

    def visit_Return(self, node):
        node.value = self.handed_on(node.value)
        return self.generic_visit(node)

    def visit_list(self, node):
        node.elts = self.starts(node.elts)
        return self.generic_visit(node)

    visit_List = visit_Tuple = visit_Set = visit_list

    def visit_Dict(self, node):
        node.values = self.starts(node.values)
        return self.generic_visit(node)

    def visit_comprehension_of(self, node):
        node.elt = self.handed_on(node.elt)
        return self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_comprehension_of

    def visit_DictComp(self, node):
        node.value = self.handed_on(node.value)
        return self.generic_visit(node)

    def starts(self, nodes):
        return [self.handed_on(node) for node in nodes]

    def handed_on(self, node):
        return node if self.tries else self.start(node)

    def start(self, node):
        if not isinstance(node, ast.Call):
            return node
        node = self.visit(node)
        if name_of(node.func) == START:
            return node
        function = ast.copy_location(ast.Name(START, ast.Load()), node)
        return ast.copy_location(ast.Call(function, [node.func, *node.args], node.keywords), node)


def start(function, /, *args, **named):
    return getattr(function, "__start__", function)(*args, **named)
