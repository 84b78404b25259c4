import assert from 'node:assert/strict';
import type { BridgeCall } from '@ravi/kernel';
import { afterAll, test } from 'vitest';
import { runPython, valueOfPython } from './python-harness.ts';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`scripts in Python (${whyNot})`, () => {});
else pythonCases();

function pythonCases(): void {
  const { create } = openTestEngine();
  const sandbox = create({ languages: ['python'], poolSize: 3, maxContainers: 4 });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  const run = (code: string, request?: Parameters<typeof runPython>[2]): ReturnType<typeof runPython> =>
    runPython(sandbox, code, request);
  const value = (code: string, request?: Parameters<typeof runPython>[2]): Promise<unknown> =>
    valueOfPython(sandbox, code, request);

  const values: readonly (readonly [code: string, expected: unknown])[] = [
    ['return 1 + 1', 2],
    ['x = 20\nx * 2 + 2', 42],
    ['result = {"a": (1, None, True)}', { a: [1, null, true] }],
    ['if True:\n    return "gr\\u00fc\\u00dfe \\U0001f389"', 'grüße 🎉'],
    ['import datetime\ndatetime.date(2026, 1, 2)', '2026-01-02'],
    ['[float("nan"), float("inf"), 1.5]', [null, null, 1.5]],
    ['{1: "a", None: "b"}', { 1: 'a', null: 'b' }],
    ['await __import__("asyncio").sleep(0.01)\nreturn "slept"', 'slept'],
    ['import asyncio\nasync def main():\n    return call("x", "inner")\nasyncio.run(main())', 'inner'],
    ['def main():\n    return [n for n in range(3)]\n\nif __name__ == "__main__":\n    result = main()', [0, 1, 2]],
    ['import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int = 1\ndataclasses.asdict(P())', { x: 1 }],
    ['names = sorted(n for n in globals() if n.isidentifier() and not n.startswith("_"))\nnames', ['call']],
    ['half = "\\ud800"\ncall("x", "a" + half + "b")', 'a\ufffdb'],
    ['import tempfile\nwith tempfile.TemporaryFile() as f:\n    f.write(b"x")\n    result = f.tell()', 1],
  ];
  for (const [code, expected] of values) {
    test(`gives the value of: ${code}`, async () => {
      const got = await value(code);
      assert.deepEqual(got, expected);
    });
  }

  test('no value is no value', async () => {
    for (const code of ['', 'x = 1', 'print("only this")', 'return', 'import sys\nsys.exit()']) {
      const { outcome } = await run(code);
      assert.equal(outcome.status, 'ok', code);
      assert.equal('value' in outcome, false, code);
    }
  });

  const failures: readonly (readonly [code: string, name: string, message: RegExp, line?: number, column?: number])[] =
    [
      ['raise ValueError("bad")', 'ValueError', /^bad$/, 1],
      ['a = 1\n\nprint(\n    missing)', 'NameError', /missing/, 4, 5],
      ['def f():\n    raise KeyError("inner")\n\n[f() for _ in "a"]', 'KeyError', /inner/, 2, 5],
      ['x = (1 +', 'SyntaxError', /./, 1],
      ['if True:\nx = 1', 'SyntaxError', /indented/, 2],
      ['return {"rows": [{1, 2}]}', 'RefusedValue', /a set at \$\.rows\[0\]; give a list/],
      ['a = []\na.append(a)\nreturn a', 'RefusedValue', /a cycle at \$\[0\]/],
      ['return b"bytes"', 'RefusedValue', /decode/],
      ['def f(): f()\nf()', 'RecursionError', /recursion/],
      ['import sys\nsys.exit("no")', 'SystemExit', /no/],
      ['call("x", 1)', 'TypeError', /two strings/, 1, 1],
      ['open("/etc/x", "w")', 'OSError', /Read-only|Permission/i],
      ['import socket\nsocket.create_connection(("127.0.0.1", 80), 1)', 'Error', /refused|unreachable/i],
      ['class E(Exception):\n    def __str__(self): raise Exception\nraise E', 'E', /no message/, 3],
    ];
  for (const [code, name, message, line, column] of failures) {
    test(`tells what is wrong with: ${code}`, async () => {
      const { outcome } = await run(code);
      if (outcome.status !== 'error') assert.fail(JSON.stringify(outcome));
      assert.ok(outcome.error.name.endsWith(name) || name === 'OSError', outcome.error.name);
      assert.match(outcome.error.message, message);
      if (line !== undefined) assert.equal(outcome.error.line, line);
      if (column !== undefined) assert.equal(outcome.error.column, column);
    });
  }

  test('an error of the bridge can be caught, and reaches the host with name and code', async () => {
    const bridge = async (): Promise<string> => {
      throw Object.assign(new RangeError('refused'), { code: 'E_NO' });
    };
    assert.equal(
      await value('try:\n    call("x", "")\nexcept Exception as e:\n    result = e.code', { bridge }),
      'E_NO',
    );
    const { outcome } = await run('call("x", "")', { bridge });
    assert.deepEqual(outcome.status === 'error' && outcome.error, {
      name: 'RangeError',
      message: 'refused',
      code: 'E_NO',
      line: 1,
      column: 1,
    });
  });

  test('what is printed arrives in lines and order, errors apart', async () => {
    const { lines } = await run(
      'import sys\nprint("a", 1)\nprint("b", end="")\nprint("c\\nd")\nprint("e", file=sys.stderr)\nprint("no end", end="")',
    );
    assert.deepEqual(lines, [
      { level: 'log', text: 'a 1' },
      { level: 'log', text: 'bc' },
      { level: 'log', text: 'd' },
      { level: 'error', text: 'e' },
      { level: 'log', text: 'no end' },
    ]);
  });

  test('a flood of output is held back and counted', async () => {
    const { lines, outcome } = await run('for i in range(200000): print("line", i)', {
      limits: { maxConsoleBytes: 1_000 },
    });
    const bytes = lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
    assert.ok(bytes <= 1_000 && bytes > 900, String(bytes));
    assert.ok(outcome.consoleDroppedBytes > 1_000_000);
  });

  const parallel: readonly string[] = [
    'import asyncio\nreturn await asyncio.gather(*[call("x", str(i)) for i in range(6)])',
    'import asyncio\ntasks = [call("x", str(i)) for i in range(6)]\nreturn await asyncio.gather(*tasks)',
    'import asyncio\ntasks = []\nfor i in range(6):\n    tasks.append(call("x", str(i)))\nreturn await asyncio.gather(*tasks)',
    'import asyncio\nasync def one(i):\n    return await call("x", str(i))\nreturn await asyncio.gather(*map(one, range(6)))',
    'import asyncio\nasync def main():\n    return await asyncio.gather(*(call("x", str(i)) for i in range(6)))\nasyncio.run(main())',
    'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(6) as pool:\n    result = list(pool.map(lambda i: call("x", str(i)), range(6)))',
  ];
  for (const code of parallel) {
    test(`calls run at the same time and keep their order: ${code}`, async () => {
      const held: (() => void)[] = [];
      const bridge = ({ payload }: BridgeCall): Promise<string> =>
        new Promise((resolve) => {
          held.push(() => resolve(payload));
          if (held.length === 6) for (const release of held.reverse()) release();
        });
      assert.deepEqual(await value(code, { bridge }), Array.from('012345'));
    });
  }

  test('a call in a try waits where it stands, so that its error is caught there', async () => {
    const bridge = async ({ payload }: BridgeCall): Promise<string> => {
      if (payload === 'bad') throw new Error('refused');
      return payload;
    };
    const code = `
import asyncio
def safe(payload):
    try:
        return call("x", payload)
    except Exception as error:
        return str(error)
good = await asyncio.gather(call("x", "good"))
return [safe("bad"), *good]`;
    assert.deepEqual(await value(code, { bridge }), ['refused', 'good']);
  });

  test('more calls than may be in flight wait, and all finish', async () => {
    const code = 'import asyncio\nreturn len(await asyncio.gather(*[call("x", str(i)) for i in range(200)]))';
    assert.equal(await value(code, { limits: { maxInFlight: 4 } }), 200);
  });

  test('text of any kind crosses both ways', async () => {
    const payloads = ['', '\n', 'a1:12:{}', '\u0000\u0001', 'ä🎉\u2028', '🎉'.repeat(50_000), 'x'.repeat(2_000_000)];
    const { outcome, calls } = await run(
      `import json\n[call("op", p) == p for p in json.loads(${JSON.stringify(JSON.stringify(payloads.slice(0, 5)))})]`,
    );
    assert.deepEqual(
      outcome.status === 'ok' && JSON.parse(outcome.value ?? ''),
      payloads.slice(0, 5).map(() => true),
    );
    assert.deepEqual(
      calls.map(({ payload }) => payload),
      payloads.slice(0, 5),
    );
    for (const payload of payloads.slice(5)) {
      assert.equal(await value('len(call("x", ""))', { bridge: async () => payload }), Array.from(payload).length);
    }
  });

  const limits: readonly (readonly [limit: string, code: string, limits: object])[] = [
    ['cpu', 'while True: pass', { cpuTimeMs: 200 }],
    ['cpu', 'import re\nre.match("(a+)+$", "a" * 40 + "b")', { cpuTimeMs: 200 }],
    ['wall', 'import time\ntime.sleep(1e6)', { wallTimeMs: 200 }],
    ['wall', 'import asyncio\nawait asyncio.sleep(1e6)', { wallTimeMs: 200 }],
    [
      'wall',
      'import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass',
      { wallTimeMs: 200 },
    ],
    ['memory', 'a = []\nwhile True: a.append("x" * 1000000)', { memoryBytes: 33_554_432 }],
    ['memory', 'return "x" * 10**10', { memoryBytes: 33_554_432 }],
    ['result', 'return "x" * 2000', { maxResultBytes: 1_000 }],
    ['calls', 'while True:\n    try: call("x", "")\n    except BaseException: pass', { maxCalls: 7 }],
  ];
  for (const [limit, code, given] of limits) {
    test(`the limit ${limit} ends: ${code}`, async () => {
      const { outcome } = await run(code, { limits: given });
      assert.equal(outcome.status === 'limit' && outcome.limit, limit, JSON.stringify(outcome));
      assert.equal(await value('return "well"'), 'well');
    });
  }

  test('a script that waits for what nothing will settle is told so at once', async () => {
    const { outcome } = await run('import asyncio\nawait asyncio.get_running_loop().create_future()');
    assert.equal(outcome.status, 'deadlock', JSON.stringify(outcome));
  });

  const hostile: readonly string[] = [
    'import os\nos._exit(0)',
    'import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\nwhile True: pass',
    'import ctypes\nctypes.string_at(0)',
    'import os\nos.write(__import__("os").open("/ravi/out", os.O_WRONLY), b"\\xff" * 64)\nwhile True: pass',
    'import os\nos.close(3)\nos.closerange(0, 64)\nreturn 1',
    'import os\nwhile True: os.fork()',
    'import threading\nwhile True: threading.Thread(target=lambda: __import__("time").sleep(1e6)).start()',
    'import os\nf = os.open("/workspace/x", os.O_CREAT | os.O_WRONLY)\nwhile True: os.write(f, b"x" * 1000000)',
    'import sys\nsys.stdout.output.left = 10**9\nfor i in range(10**6): print("x" * 100)',
    'import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == "Calls": o.max_in_flight = 10**6\nimport asyncio\nawait asyncio.gather(*[call("x", "") for i in range(1000)])',
  ];
  for (const code of hostile) {
    test(`the host is well after: ${code}`, async () => {
      const { outcome } = await run(code, { limits: { cpuTimeMs: 500, wallTimeMs: 4_000 } });
      assert.ok(['ok', 'error', 'crashed', 'limit'].includes(outcome.status), JSON.stringify(outcome));
      assert.equal(await value('return "well"'), 'well');
    });
  }

  test('nothing of the host is in reach', async () => {
    process.env['RAVI_CANARY'] = 'canary-in-the-environment';
    await using fresh = create({ languages: ['python'], poolSize: 0 });
    const code = `
import os, pathlib, socket
status = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
return {
    "env": str(dict(os.environ)), "users": [os.getuid(), os.getgid()],
    "capabilities": status["CapEff"].strip(), "no_new_privileges": status["NoNewPrivs"].strip(),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "writable": [p for p in ["/", "/etc", "/tmp", "/usr", "/ravi"] if os.access(p, os.W_OK)],
    "processes": [p for p in os.listdir("/proc") if p.isdigit()],
}`;
    const seen = (await valueOfPython(fresh, code)) as Record<string, unknown>;
    delete process.env['RAVI_CANARY'];
    assert.ok(!JSON.stringify(seen).includes('canary'));
    const { env: _env, ...rest } = seen;
    assert.deepEqual(rest, {
      users: [65_534, 65_534],
      capabilities: '0000000000000000',
      no_new_privileges: '1',
      interfaces: ['lo'],
      writable: [],
      processes: ['1'],
    });
  });

  test('abort ends a script that computes, one that waits, and one that sleeps', async () => {
    for (const code of ['while True: pass', 'call("never", "")', 'import time\ntime.sleep(1e6)']) {
      const controller = new AbortController();
      const { outcome } = await run(`call("started", "")\n${code}`, {
        signal: controller.signal,
        bridge: ({ op }) => {
          setImmediate(() => controller.abort());
          return op === 'started' ? Promise.resolve('') : new Promise(() => {});
        },
      });
      assert.equal(outcome.status, 'cancelled');
    }
    assert.equal(await value('return "well"'), 'well');
  });
}
