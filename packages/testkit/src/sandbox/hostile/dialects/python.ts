import type { HostileDialect } from '../hostile-dialect.ts';
import { pythonClasses } from '../python/classes.ts';
import { pythonPrelude } from './python-prelude.ts';

/** Python attacks what its process reaches: the interpreter is the script's own, the wall is around it. */
export const pythonDialect: HostileDialect = {
  language: 'python',
  classes: pythonClasses,
  prelude: pythonPrelude,
  // Which of several guests it is: namespaces of processes have the same numbers on both sides.
  announced: (code) => `call("ready", tried(lambda: __import__("os").readlink("/proc/self/ns/pid")) or "")\n${code}`,
  normal: (index) => `import asyncio, builtins, os
all = list(await asyncio.gather(*[call("echo", str(n * ${index})) for n in [1, 2, 3]]))
print(all)
return {"all": all, "own": "left" if hasattr(builtins, "left") or os.path.exists("/workspace/left") else None}`,
  controls: {
    call: 'call("echo", "text")',
    error: 'try:\n    call("x", "")\nexcept Exception as error:\n    result = [error.name, str(error)]',
    value: 'return {"list": [1, "two", None]}',
    console: 'import sys\nprint("text", 1)\nprint("bad", file=sys.stderr)',
  },
};
