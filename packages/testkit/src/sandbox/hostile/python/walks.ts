import type { HostileCase, HostileClass } from '../hostile-case.ts';
import { script } from './script.ts';

/** Gives what was found, which must be nothing. */
const finding = (name: string, code: string): HostileCase => ({ name, code: script(code), value: '[]' });

/** Ways through the interpreter's own objects. They only read, so that they can be tried on anything. */
export const walks: HostileClass = {
  name: 'walks through objects',
  kind: 'escape',
  cases: [
    finding('subclasses of object', 'return hunt(*().__class__.__bases__[0].__subclasses__()) + loot()'),
    finding(
      'a command through a subclass of object',
      `
      found = []
      for kind in ().__class__.__base__.__subclasses__():
          if kind.__name__ == "_wrap_close":
              popen = kind.__init__.__globals__["popen"]
              # Without a shell there is nothing to be had.
              found += secrets_in(tried(lambda: popen("cat " + target["file"] + " 2>/dev/null; env").read()) or "")
      return found`,
    ),
    finding('the environment by __import__', 'return secrets_in(str(dict(__import__("os").environ))) + loot()'),
    finding(
      'built-ins, however they are called',
      'import builtins\nreturn hunt(builtins.__dict__, __builtins__) + secrets_in(builtins.open(target["file"]).read() if builtins.__dict__["__import__"]("os").path.exists(target["file"]) else "")',
    ),
    finding('the globals of the bridge', 'return hunt(call, type(call).__call__.__globals__) + loot()'),
    finding('the bridge itself', 'host = type(call).__call__.__globals__["host"]\nreturn hunt(host, vars(host))'),
    finding(
      'frames up to the runtime',
      `
      import sys
      frame, found = sys._getframe(), []
      while frame is not None:
          found += hunt(frame.f_globals, dict(frame.f_locals), frame.f_code)
          frame = frame.f_back
      return found`,
    ),
    finding('the frames of all threads', 'import sys\nreturn hunt(*sys._current_frames().values())'),
    finding('the stack by inspect', 'import inspect\nreturn hunt(*[one.frame for one in inspect.stack()])'),
    finding(
      'frames in the error of a call',
      `
      try:
          call("fail", "")
      except Exception as error:
          trace, found = error.__traceback__, hunt(error, vars(error))
          while trace is not None:
              found += hunt(trace.tb_frame)
              trace = trace.tb_next
          return found`,
    ),
    finding(
      'an error of the host carries name, message and code only',
      `
      import re
      found = []
      for op in ["fail-loaded", "fail-getters", "fail-object", "fail-nothing", "fail-function", "fail-aggregate"]:
          try:
              call(op, "")
          except Exception as error:
              found += hunt(error, vars(error)) + re.findall(r"node:|file:|/home/|/src/", str(error) + repr(vars(error)))
      return found`,
    ),
    finding('every object that there is', 'import gc\nreturn hunt(*gc.get_objects())'),
    finding('modules that are loaded', 'import sys\nreturn hunt(sys.modules, sys.argv, sys.orig_argv, sys.path)'),
    finding(
      'attributes by a format',
      'return secrets_in("{0.__call__.__globals__} {0.__class__.__mro__}".format(call))',
    ),
    finding(
      'the memory of the process',
      `
      found = []
      for line in open("/proc/self/maps"):
          span, rights = line.split()[:2]
          first, last = (int(part, 16) for part in span.split("-"))
          if not rights.startswith("rw") or last - first > 1 << 26:
              continue
          with open("/proc/self/mem", "rb") as memory:
              memory.seek(first)
              found += secrets_in((tried(lambda: memory.read(last - first)) or b"").decode("latin-1"))
      return found`,
    ),
    finding(
      'memory by ctypes',
      'import ctypes\nreturn secrets_in(ctypes.string_at(id(call), 2048).decode("latin-1")) + loot()',
    ),
    finding(
      'eval, exec and compile',
      'got = {}\nexec(compile("import os; env = dict(os.environ)", "x", "exec"), got)\nreturn secrets_in(str(eval("env", got)))',
    ),
    finding(
      'a pickle that runs a command',
      `
      import os, pickle, subprocess
      class Evil:
          def __reduce__(self):
              return (subprocess.getoutput, ("env; cat " + target["file"],))
      text = pickle.dumps(Evil())
      return secrets_in(tried(lambda: pickle.loads(text)) or "")`,
    ),
    finding(
      'a module of its own before the real ones',
      `
      import os, sys
      folder = "/workspace" if os.path.isdir("/workspace") else __import__("tempfile").mkdtemp()
      with open(folder + "/stolen_module.py", "w") as file:
          file.write("import os\\nenv = str(dict(os.environ))")
      sys.path.insert(0, folder)
      import stolen_module
      return secrets_in(stolen_module.env) + loot()`,
    ),
    finding(
      'sites and start-up files',
      'import site, sysconfig\nreturn secrets_in(str([site.getsitepackages(), sysconfig.get_paths()])) + loot()',
    ),
  ],
};
