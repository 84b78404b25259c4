import { hunting } from '../hostile-case.ts';
import type { HostileCase, HostileClass } from '../hostile-case.ts';

const caught = (expression: string): string => `(() => { try { ${expression} } catch (error) { return error } })()`;

/** An error must arrive as name, message and code, and nothing else of the host. */
const bare = (name: string, op: string): HostileCase => ({
  name,
  code: `const error = await call(${JSON.stringify(op)}, "").catch((thrown) => thrown);
    const foreign = Reflect.ownKeys(error).filter((key) => !["name", "message", "code", "stack"].includes(key));
    return [hunt(error), foreign, error instanceof Error, /node:|file:|\\/home\\/|\\/src\\//.test(String(error.stack) + error.message)]`,
  value: '[[],[],true,false]',
});

/** Errors and promises belong to the realm that created them. */
export const crossings: HostileClass = {
  name: 'errors and promises that cross the bridge',
  kind: 'escape',
  cases: [
    bare('an error of the bridge carries name, message and code only', 'fail'),
    bare('an error with a cause and host objects in its fields', 'fail-loaded'),
    bare('an error whose fields are getters', 'fail-getters'),
    bare('a rejection with an object that is not an error', 'fail-object'),
    bare('a rejection with nothing', 'fail-nothing'),
    bare('a rejection with a function', 'fail-function'),
    bare('an aggregate error', 'fail-aggregate'),
    bare('an error with a megabyte of message', 'fail-large'),
    bare('a reply that is not text', 'answer-object'),
    bare('a bridge that throws instead of rejecting', 'fail-at-once'),
    hunting('the error of a call without arguments', 'await call().catch((error) => error)'),
    hunting('the error of a call with an object', 'await call({}, {}).catch((error) => error)'),
    hunting('the error of a call with a symbol', 'await call(Symbol("x"), "y").catch((error) => error)'),
    hunting('the error of a stack overflow', caught('(function f() { f() })()')),
    hunting(
      'the error of a stack overflow in a call',
      '(() => { let kept; const f = () => { try { f() } catch (error) { try { if (!kept) call("echo", "") } catch (inner) { kept = inner } throw error } }; try { f() } catch (error) { return [error, kept] } })()',
    ),
    hunting(
      'the error of a stack overflow in the console',
      '(() => { let kept; const f = () => { try { f() } catch (error) { try { console.log({ a: [1] }) } catch (inner) { kept = inner } throw error } }; try { f() } catch (error) { return [error, kept] } })()',
    ),
    hunting('the error of an array that is too long', caught('new Array(-1)')),
    hunting('the error of a buffer that is too large', caught('new ArrayBuffer(2 ** 50)')),
    hunting('the error of a text that is too long', caught('"x".repeat(2 ** 30)')),
    hunting('the error of a bad regular expression', caught('new RegExp("(")')),
    hunting('the error of bad JSON', caught('JSON.parse("{")')),
    hunting('the error of a cycle', caught('const a = {}; a.a = a; JSON.stringify(a)')),
    hunting('the error of a timer without a function', caught('setTimeout("1", 1)')),
    hunting('the error of structuredClone', caught('structuredClone(() => {})')),
    hunting('the error of atob', caught('atob("%")')),
    hunting('the error of a decoder that does not exist', caught('new TextDecoder("latin1")')),
    hunting('the error of a URI', caught('decodeURIComponent("%")')),
    hunting('the error of Intl', caught('new Intl.NumberFormat("xx-invalid-locale-name")')),
    {
      name: 'an error whose fields trap the reader does not reach the host as an object',
      code: 'throw new Proxy(new Error("x"), { get(target, key) { return key === "message" ? { toString: () => reached.slice(1) } : Reflect.get(target, key) } })',
      ends: ['error'],
    },
    {
      name: 'promise jobs that throw nothing, a text, and an object',
      code: 'for (const thrown of [undefined, null, "text", 1n, { message: {} }, () => {}]) queueMicrotask(() => { throw thrown }); await call("echo", ""); await sleep(1); return 1',
      value: '1',
    },
    {
      name: 'a thrown function, symbol, and nothing at all',
      code: 'await Promise.reject(undefined).catch(() => {}); throw Symbol("thrown")',
      ends: ['error'],
    },
  ],
};
