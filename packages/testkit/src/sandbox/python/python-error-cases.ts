import assert from 'node:assert/strict';
import { guestErrorOf } from '../sandbox-harness.ts';
import type { SandboxHarness } from '../sandbox-harness.ts';

type Failure = readonly [code: string, name: RegExp, message: RegExp, line?: number, column?: number];

const failures: readonly Failure[] = [
  ['raise ValueError("bad")', /^ValueError$/, /^bad$/, 1],
  ['a = 1\n\nprint(\n    missing)', /^NameError$/, /missing/, 4, 5],
  ['def f():\n    raise KeyError("inner")\n\n[f() for _ in "a"]', /^KeyError$/, /inner/, 2, 5],
  ['x = (1 +', /^SyntaxError$/, /./, 1],
  ['if True:\nx = 1', /^SyntaxError$/, /indented/, 2],
  ['return {"rows": [{1, 2}]}', /^RefusedValue$/, /a set at \$\.rows\[0\]; give a list/],
  ['a = []\na.append(a)\nreturn a', /^RefusedValue$/, /a cycle at \$\[0\]/],
  ['return b"bytes"', /^RefusedValue$/, /decode/],
  ['def f(): f()\nf()', /^RecursionError$/, /recursion/],
  ['import sys\nsys.exit("no")', /^SystemExit$/, /no/],
  ['call("x", 1)', /^TypeError$/, /two strings/, 1, 1],
  ['open("/etc/x", "w")', /^(OS|Permission|FileNotFound)Error$/, /Read-only|Permission|No such/i],
  ['import socket\nsocket.create_connection(("127.0.0.1", 80), 1)', /Error$/, /refused|unreachable/i],
  ['class E(Exception):\n    def __str__(self): raise Exception\nraise E', /^E$/, /no message/, 3],
];

/** Cases about failures of scripts in Python and of their calls. */
export function pythonErrorCases({ scenario }: SandboxHarness): void {
  for (const [code, name, message, line, column] of failures) {
    scenario(`tells what is wrong with: ${code}`, async ({ run }) => {
      const error = guestErrorOf(await run(code));
      assert.match(error.name, name);
      assert.match(error.message, message);
      if (line !== undefined) assert.equal(error.line, line, 'line');
      if (column !== undefined) assert.equal(error.column, column, 'column');
    });
  }
  scenario('an error of the bridge can be caught, and reaches the host with name and code', async ({ run, value }) => {
    const bridge = async (): Promise<string> => {
      throw Object.assign(new RangeError('refused'), { code: 'E_NO', secret: '/home/host' });
    };
    const caught = 'try:\n    call("x", "")\nexcept Exception as e:\n    result = [e.code, str(e), sorted(vars(e))]';
    assert.deepEqual(await value(caught, { bridge }), ['E_NO', 'refused', ['code', 'name']]);
    assert.deepEqual(guestErrorOf(await run('call("x", "")', { bridge })), {
      name: 'RangeError',
      message: 'refused',
      code: 'E_NO',
      line: 1,
      column: 1,
    });
  });
  scenario('a call in a try waits in place, so that its error is caught there', async ({ value }) => {
    const bridge = async ({ payload }: { payload: string }): Promise<string> => {
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
}
