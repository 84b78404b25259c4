import { hunting } from '../hostile-case.ts';
import type { HostileCase, HostileClass } from '../hostile-case.ts';

const absent = (name: string, expression: string): HostileCase => ({
  name,
  code: `try { return ${expression} ? [reached] : [] } catch { return [] }`,
  value: '[]',
});

// The smallest module there is: its magic number and version.
const emptyModule = 'new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])';

/** WebAssembly and shared memory: they give exact clocks and evade limits. */
export const sharedMemory: HostileClass = {
  name: 'WebAssembly and SharedArrayBuffer',
  kind: 'escape',
  cases: [
    absent('WebAssembly is not a global', 'typeof WebAssembly !== "undefined"'),
    absent('WebAssembly through eval', '(0, eval)("typeof WebAssembly") !== "undefined"'),
    absent('WebAssembly through Function', 'new Function("return typeof WebAssembly")() !== "undefined"'),
    absent(
      'WebAssembly is not a hidden property',
      'Reflect.ownKeys(globalThis).some((key) => /wasm|webassembly/i.test(String(key)))',
    ),
    absent('a module cannot be compiled', `new WebAssembly.Module(${emptyModule})`),
    absent('a module cannot be compiled later', `await WebAssembly.compile(${emptyModule})`),
    absent('wasm memory cannot be allocated', 'new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true })'),
    absent(
      'a wasm module cannot be imported',
      'await Promise.race([import("data:application/wasm,x"), sleep(20).then(() => false)])',
    ),
    absent('SharedArrayBuffer is not a global', 'typeof SharedArrayBuffer !== "undefined"'),
    absent('SharedArrayBuffer through Function', 'new Function("return typeof SharedArrayBuffer")() !== "undefined"'),
    absent(
      'SharedArrayBuffer through a species',
      'Object.getOwnPropertyNames(globalThis).some((name) => name.startsWith("Shared"))',
    ),
    absent('Atomics is not a global', 'typeof Atomics !== "undefined"'),
    absent('Atomics cannot wait', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)'),
    absent(
      'a growable buffer is not shared',
      'new ArrayBuffer(1, { maxByteLength: 8 }).constructor.name !== "ArrayBuffer"',
    ),
    absent(
      'structuredClone makes nothing shared',
      'structuredClone(new ArrayBuffer(1)).constructor.name !== "ArrayBuffer"',
    ),
    absent(
      'no workers, no channels',
      '["Worker", "MessageChannel", "MessagePort", "BroadcastChannel"].some((name) => name in globalThis)',
    ),
    hunting('a transferred buffer', 'new ArrayBuffer(8).transfer(), new ArrayBuffer(8, { maxByteLength: 16 })'),
    hunting(
      'weak references and finalizers',
      'new WeakRef({}), new FinalizationRegistry(() => {}), new WeakRef(call).deref()',
    ),
  ],
};
