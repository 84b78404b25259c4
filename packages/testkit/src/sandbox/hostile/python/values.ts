import type { HostileCase, HostileClass } from '../hostile-case.ts';

/** Sends text that would change prototypes where it is merged carelessly. */
const sent = (payload: string): HostileCase => ({
  name: `arguments: ${payload}`,
  code: `import json\nreturn json.loads(call("parse", ${JSON.stringify(payload)})) is not None`,
  value: 'true',
  calls: 1,
});

const returned = (name: string, code: string, ends: HostileCase['ends'] = ['ok', 'error']): HostileCase => ({
  name,
  code,
  ends,
});

/** Values and errors on their way to the host. */
export const values: HostileClass = {
  name: 'values and errors that cross the bridge',
  kind: 'escape',
  cases: [
    sent('{"__proto__":{"polluted":1}}'),
    sent('{"constructor":{"prototype":{"polluted":1}}}'),
    sent('[{"__proto__":{"toString":1}},{"then":1,"toJSON":2}]'),
    returned(
      'a value with the keys of prototypes',
      'return {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
      ['ok'],
    ),
    returned(
      'a value that looks like an outcome',
      'return {"status": "limit", "limit": "cpu", "message": "forged", "durationMs": -1}',
      ['ok'],
    ),
    returned(
      'a value whose conversion never ends',
      'class Endless:\n    __json__ = lambda self: Endless()\nreturn Endless()',
      ['limit'],
    ),
    returned(
      'a value that changes while it is read',
      'class Odd(dict):\n    def items(self):\n        self["more"] = 1\n        return [("a", self)]\nreturn Odd()',
    ),
    returned('invalid keys', 'return {(1, 2): 3}', ['error']),
    returned(
      'a number that no other language has',
      'import sys\nsys.set_int_max_str_digits(0) if hasattr(sys, "set_int_max_str_digits") else None\nreturn 10 ** 5000',
      ['ok', 'error'],
    ),
    returned('half a surrogate pair', 'return [chr(0xd800), call("echo", chr(0xdc00) + "x")]', ['ok']),
    returned(
      'an error that looks like a limit',
      'class Limit(Exception): code = "E_LIMIT_MEMORY"\nraise Limit("The script used more memory than its limit")',
      ['error'],
    ),
    returned(
      'an error with the name of a prototype',
      'raise type("__proto__", (Exception,), {"code": "constructor"})("toString")',
      ['error'],
    ),
    returned(
      'an error that cannot be described',
      'class Odd(Exception):\n    __str__ = None\n    code = property(lambda self: 1 / 0)\nraise Odd',
      ['error', 'crashed'],
    ),
    returned('an error that is not an exception', 'class Odd(BaseException): pass\nraise Odd("out")', ['error']),
    returned(
      'errors in a group, deep below one another',
      'error = ValueError("deep")\nfor _ in range(2000):\n    try:\n        raise ValueError("above") from error\n    except ValueError as caught:\n        error = caught\nraise error',
      ['error'],
    ),
  ],
};
