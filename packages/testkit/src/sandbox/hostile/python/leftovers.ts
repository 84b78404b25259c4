import type { HostileCase, HostileClass } from '../hostile-case.ts';
import { script } from './script.ts';

const left = (name: string, code: string, ends: HostileCase['ends'] = ['ok', 'error']): HostileCase => ({
  name,
  code: script(code),
  ends,
});

/** Says to the host that a file of this path was left, as only the prelude does; gives the code of the refusal. */
const said = (path: string): HostileCase => ({
  name: `a path that it says itself: ${JSON.stringify(path)}`,
  code: script(`
    host = type(tools.any).request.__globals__["finish"].__globals__["host"]
    try:
        host.call("store-file", ${JSON.stringify(`${path}\ntext/plain\nZm9yZ2Vk`)})
    except Exception as error:
        result = error.code`),
  value: '"E_ARGUMENTS_INVALID"',
});

/**
 * Files that a script leaves in `/workspace/out`. They are the affair of the pipeline that takes them up, so these cases
 * have `tools` instead of the attacker's tools, and the path of a file of the host in `input["file"]`.
 */
export const leftovers: HostileClass = {
  name: 'leftover files',
  kind: 'escape',
  cases: [
    left('a link to a file of the host', 'import os\nos.symlink(input["file"], "/workspace/out/x")', ['ok']),
    left('a link that climbs', 'import os\nos.symlink("../../.." + input["file"], "/workspace/out/x")', ['ok']),
    left('a link to the root', 'import os\nos.symlink("/", "/workspace/out/root")', ['ok']),
    left('a link in a circle', 'import os\nos.symlink("x", "/workspace/out/x")', ['ok']),
    left(
      'a link in place of the folder',
      'import os\nos.rmdir("/workspace/out")\nos.symlink("/proc/self", "/workspace/out")',
    ),
    left('a FIFO without a writer', 'import os\nos.mkfifo("/workspace/out/x")', ['ok']),
    left('a socket', 'import socket\nsocket.socket(socket.AF_UNIX).bind("/workspace/out/x")', ['ok']),
    left('a name of several lines', 'open("/workspace/out/x\\n/etc/passwd\\ntext/plain\\nAAAA", "w").close()'),
    left('a name that is not text', 'open(b"/workspace/out/\\xff\\xfe", "w").close()'),
    left('a name that reverses what follows', 'open("/workspace/out/\\u202egnp.exe", "w").close()'),
    left(
      'names of prototypes',
      'for name in ["__proto__", "constructor", "toString"]: open("/workspace/out/" + name, "w").close()',
      ['ok'],
    ),
    left(
      'a path longer than any may be',
      'import os\nplace = "/workspace/out/" + "/".join(["x" * 200] * 5)\nos.makedirs(place)\nopen(place + "/x", "w").close()',
      ['error'],
    ),
    left('a thousand files', 'for n in range(1000): open(f"/workspace/out/{n}", "w").close()', ['error']),
    left('a file larger than it may be', 'open("/workspace/out/x", "wb").truncate(20 * 10 ** 6)', ['ok']),
    left('a file larger than all there is', 'open("/workspace/out/x", "wb").truncate(10 ** 13)'),
    left('an unreadable file', 'import os\nopen("/workspace/out/x", "w").close()\nos.chmod("/workspace/out/x", 0)'),
    said('/etc/passwd'),
    said('/workspace/out'),
    said('/workspace/out/'),
    said('/workspace/out/..'),
    said('/workspace/out/../media/x'),
    said('/workspace/out/a/../../../etc/passwd'),
    said('/workspace/out/./../x'),
    said('/workspace/outside'),
    said('/workspace/out/x\u0000.png'),
    said('workspace/out/x'),
  ],
};
