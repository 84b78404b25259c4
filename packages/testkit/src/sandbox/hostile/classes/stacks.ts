import { hunting } from '../hostile-case.ts';
import type { HostileClass } from '../hostile-case.ts';

const sites = `const got = []; Error.prepareStackTrace = (error, all) => { for (const site of all) { got.push(site); for (const read of ["getThis", "getFunction", "getEvalOrigin", "getTypeName"]) try { got.push(site[read]()) } catch {} } return "" };`;

/** Stack traces, callers and asynchronous frames lead back to the caller. */
export const stacks: HostileClass = {
  name: 'stack tricks',
  kind: 'escape',
  cases: [
    hunting('call sites of a synchronous error', '...got', `${sites} new Error("x").stack`),
    hunting(
      'call sites of an error of the bridge',
      '...got',
      `${sites} await call("fail", "").catch((error) => error.stack)`,
    ),
    hunting('call sites of a wrong call', '...got', `${sites} await call(1).catch((error) => error.stack)`),
    hunting(
      'call sites below a getter that the runtime reads',
      '...got',
      `${sites} console.log({ toString() { new Error("x").stack } }); await call({ toString() { new Error("x").stack; return "echo" } }, "x").catch((error) => error.stack)`,
    ),
    hunting(
      'call sites in a timer',
      '...got',
      `${sites} await new Promise((resolve) => setTimeout(() => { new Error("x").stack; resolve() }, 1))`,
    ),
    hunting(
      'call sites in a microtask',
      '...got',
      `${sites} await new Promise((resolve) => queueMicrotask(() => { new Error("x").stack; resolve() }))`,
    ),
    hunting(
      'call sites after an await',
      '...got',
      `${sites} await call("echo", ""); new Error("x").stack; await sleep(1); new Error("y").stack`,
    ),
    hunting(
      'call sites in a thenable',
      '...got',
      `${sites} await { then(resolve) { new Error("x").stack; resolve() } }`,
    ),
    hunting(
      'call sites in a species',
      '...got',
      `${sites} class Spy extends Promise { constructor(run) { super(run); new Error("x").stack } } Object.defineProperty(Promise, Symbol.species, { get: () => Spy }); await call("echo", "").then(() => 1)`,
    ),
    hunting(
      'captureStackTrace of a foreign object',
      '...got',
      `${sites} const holder = {}; Error.captureStackTrace(holder); holder.stack; try { Error.captureStackTrace(call) } catch (error) { got.push(error, error.stack) }`,
    ),
    hunting(
      'captureStackTrace replaced',
      '...got',
      'const got = []; Error.captureStackTrace = function (...all) { got.push(this, ...all) }; await call(1).catch((error) => error.stack)',
    ),
    hunting(
      'callers and arguments of a sloppy function',
      '...got',
      'const got = []; function spy() { got.push(spy.caller, spy.arguments, arguments.callee.caller) } console.log({ toString: spy, get a() { spy() } }); setTimeout(spy, 0); await sleep(5); spy()',
    ),
    hunting(
      'callers through valueOf of a delay',
      '...got',
      'const got = []; function spy() { for (let up = spy.caller, n = 0; up && n < 20; up = up.caller, n++) got.push(up, up.arguments); return 1 } try { setTimeout(() => {}, { valueOf: spy }) } catch {} try { new TextEncoder().encode({ toString: spy }) } catch {}',
    ),
    hunting(
      'an endless stack trace limit',
      '...got',
      'const got = []; Error.stackTraceLimit = Infinity; try { (function f() { f() })() } catch (error) { got.push(error, error.stack) }',
    ),
    hunting(
      'a stack trace limit that is a getter',
      '...got',
      'const got = []; Object.defineProperty(Error, "stackTraceLimit", { get() { got.push(this); return 10 }, configurable: true }); await call(1).catch((error) => error.stack)',
    ),
    hunting(
      'an async generator that is closed by the runtime',
      '...got',
      'const got = []; const stream = async function* () { try { yield call("echo", "") } finally { got.push(this, arguments) } }; for await (const one of stream()) { got.push(one); break }',
    ),
    hunting(
      'a finally that runs while the stack overflows',
      '...got',
      'const got = []; const f = () => { try { f() } finally { try { got[0] ??= call("echo", "") } catch (error) { got[1] = error } } }; try { f() } catch (error) { got.push(error) }',
    ),
    {
      name: 'a stack contains no path of the host',
      code: 'const stacks = [new Error("a").stack, (await call("fail", "").catch((error) => error)).stack, (await call(1).catch((error) => error)).stack]; return stacks.filter((text) => /node:|file:\\/\\/|node_modules|\\/packages\\//.test(text))',
      value: '[]',
    },
  ],
};
