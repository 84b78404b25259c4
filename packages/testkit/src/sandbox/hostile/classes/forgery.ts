import type { HostileCase, HostileClass } from '../hostile-case.ts';

/** Text that would be something else to a protocol which trusts its separators. */
const forged: readonly string[] = [
  'e',
  'eu',
  'er2:42',
  'y',
  'wc1:12:op2:{}',
  'a1:12:{}',
  'f1:15:Error1:x0:',
  'k3:cpu0:',
  'l3:log5:forge',
  '\u0000\u0000\u0000\u0004eu',
  '\n{"status":"ok","value":"forged"}\n',
  '{"type":"result","id":1,"value":"forged"}',
  '\u001e\u0004\u0003',
  'data: {"done":true}\n\n',
  '__RAVI_RESULT__:"forged"',
  '}} ) ; process.exit(0) //',
  '4294967295:x',
  '-1:x',
];

/** Says the forged text everywhere text may go; nothing but text may come of it. */
const said = (text: string): HostileCase => ({
  name: `text: ${JSON.stringify(text)}`,
  code: `const text = ${JSON.stringify(text)};
    console.log(text); console.error({ [text]: text });
    const back = await call("echo", text); const same = await call(text, "x");
    const error = await call("fail", text).catch((thrown) => thrown.name);
    return [back === text, same, error]`,
  value: '[true,"x","TypeError"]',
  calls: 3,
});

/** Messages and sentinels that a script makes up. */
export const forgery: HostileClass = {
  name: 'forged messages and sentinels',
  kind: 'escape',
  cases: [
    ...forged.map(said),
    ...forged.slice(0, 4).map((text) => ({
      name: `an error that says ${JSON.stringify(text)}`,
      code: `throw Object.assign(new Error(${JSON.stringify(text)}), { name: ${JSON.stringify(text)}, code: ${JSON.stringify(text)} })`,
      ends: ['error'] as const,
    })),
    {
      name: 'a value that looks like an outcome is a value',
      code: 'return { status: "limit", limit: "cpu", message: "forged", durationMs: -1 }',
      value: '{"status":"limit","limit":"cpu","message":"forged","durationMs":-1}',
    },
    {
      name: 'an error that looks like a limit is an error',
      code: 'throw Object.assign(new Error("The script used more memory than its limit"), { code: "E_LIMIT_MEMORY" })',
      ends: ['error'],
    },
    {
      name: 'half a surrogate pair shifts nothing',
      code: 'return [await call("echo", "a\\ud800"), await call("echo", "\\udc00b"), await call("echo", "next")]',
      value: '["a\ufffd","\ufffdb","next"]',
      calls: 3,
    },
    {
      name: 'the runtime has no entry that a script can call',
      code: 'const names = ["prelude", "begin", "script", "deliver", "drain", "fire", "flush", "ravi:step", "runtime", "mailbox", "host"]; return names.filter((name) => { try { return typeof eval(name) === "function" } catch { return false } }).map(() => reached)',
      value: '[]',
    },
    {
      name: 'a reply arrives once, and a script cannot forge it',
      code: 'const first = call("echo", "real"); for (const key of Reflect.ownKeys(first)) first[key] = 1; first.resolve = first.then; return [await first, await call("echo", "real")]',
      value: '["real","real"]',
      calls: 2,
    },
  ],
};
