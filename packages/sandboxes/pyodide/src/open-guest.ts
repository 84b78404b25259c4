import type { ChildGuest, ChildPort } from '@ravi/sandbox-kit';
import type IsolatedVm from 'isolated-vm';
import type { InterpreterFiles, InterpreterHost } from './interpreter.ts';

/** Parts of a guest that its program carries. */
export interface GuestParts {
  /** Path of the isolated-vm addon. */
  readonly binary: string;
  /** Folder of Pyodide. */
  readonly folder: string;
  /** Descriptor of the snapshot: read from, or with `program` written to. */
  readonly snapshot: number;
  /** The program in Python, for the child that makes the snapshot. */
  readonly program?: string;
  /** Text of {@link createTextCodecs}. */
  readonly textCodecs: string;
  /** Text of {@link createSurroundings}. */
  readonly surroundings: string;
  /** Text of {@link createInterpreter}. */
  readonly interpreter: string;
}

/**
 * Opens the guest of a child: CPython as WebAssembly, in a V8 isolate of its own that has no way to Node. With `program` it
 * makes the snapshot instead, and ends the process.
 * Sent to the child as text: it must refer to nothing outside itself.
 */
export function openGuest({ codec, input, send }: ChildPort, parts: GuestParts): ChildGuest {
  const fs = process.getBuiltinModule('node:fs');
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const addon = { exports: {} as { ivm: typeof IsolatedVm } };
  process.dlopen(addon, parts.binary);
  const { ivm } = addon.exports;
  // The same for every machine that continues a durable script.
  process.env['TZ'] = 'UTC';
  const isolateMegabytes = 512;
  const tooDeep = 'maximum recursion depth exceeded';
  const isSnapshot = parts.program === undefined;
  const modules = ['pyodide.asm.mjs', 'pyodide.mjs'].map((name) => fs.readFileSync(`${parts.folder}/${name}`, 'utf8'));
  const { info } = JSON.parse(fs.readFileSync(`${parts.folder}/pyodide-lock.json`, 'utf8')) as { info: object };
  const lock = JSON.stringify({ info, packages: {} });

  interface Guest {
    readonly isolate: IsolatedVm.Isolate;
    readonly interpreter: IsolatedVm.Reference;
    spentBeforeMs: number;
  }
  let prelude = '';
  let guest = open();
  if (parts.program !== undefined) writeSnapshot(parts.program);

  return {
    rehearse() {},
    run(frame) {
      const { field } = codec.read(frame, 0);
      const [memoryBytes, cpuTimeMs, limits = '', sent] = [Number(field()), Number(field()), field(), field()];
      if (sent !== '=') prelude = sent ?? '';
      guest.spentBeforeMs = spentMs();
      let failure: string;
      try {
        failure = call('run', [limits, prelude, field(), memoryBytes, cpuTimeMs]) as string;
      } catch (error) {
        failure = guest.isolate.isDisposed ? 'memory' : String(error);
      }
      if (failure === 'memory') send(`e${codec.encode('k', 'memory', '')}`);
      else if (failure === 'stack') send(`e${codec.encode('x', 'RecursionError', tooDeep, 'E_LIMIT_STACK', '', '')}`);
      else if (failure !== '') send(`e${codec.encode('z', failure)}`);
    },
    renew() {
      if (!guest.isolate.isDisposed) guest.isolate.dispose();
      guest = open();
    },
  };

  function open(): Guest {
    const isolate = new ivm.Isolate({ memoryLimit: isolateMegabytes });
    const context = isolate.createContextSync();
    context.evalSync(`Object.assign(globalThis, (${parts.textCodecs})(), (${parts.surroundings})())`);
    const opened: { spentBeforeMs: number } = { spentBeforeMs: 0 };
    const host: InterpreterHost = {
      receive: () => input.read(true),
      send,
      random: (count) => randomBytes(Math.min(count, 65_536)).toString('latin1'),
      spentMs: () => spentMs() - guest.spentBeforeMs,
      monotonic: () => performance.now(),
    };
    // Read again for each guest: the pages of the files are in memory once, for all processes.
    const files: InterpreterFiles = {
      wasm: bytesOf(fs.readFileSync(`${parts.folder}/pyodide.asm.wasm`)),
      library: bytesOf(fs.readFileSync(`${parts.folder}/python_stdlib.zip`)),
      snapshot: isSnapshot ? bytesOf(readSnapshot()) : undefined,
      lock,
    };
    const interpreter: IsolatedVm.Reference = context.evalClosureSync(
      `return (${parts.interpreter})({
        host: { receive: $0, send: $1, random: $2, spentMs: $3, monotonic: $4 },
        files: { wasm: $5, library: $6, snapshot: $7, lock: $8 },
      });`,
      [
        ...Object.values(host).map((callback) => new ivm.Callback(callback as (...values: unknown[]) => unknown)),
        ...Object.values(files).map(transferred),
      ],
      { result: { reference: true } },
    );
    const made = Object.assign(opened, { isolate, interpreter });
    const entries = modules.map((source, index) => {
      const module = isolate.compileModuleSync(source, { filename: `file:///${index}.mjs` });
      module.instantiateSync(context, () => {
        throw new Error('Pyodide has no other modules');
      });
      module.evaluateSync();
      return module.namespace.getSync(index === 0 ? 'default' : 'loadPyodide', { reference: true }).derefInto();
    });
    callOf(made, 'load', entries);
    const failure = callOf(made, 'status', []);
    if (failure !== '') throw new Error(`Pyodide does not load: ${String(failure)}`);
    return made;
  }

  function transferred(value: unknown): unknown {
    if (!(value instanceof ArrayBuffer)) return value;
    return new ivm.ExternalCopy(value, { transferOut: true }).copyInto({ release: true, transferIn: true });
  }

  function bytesOf({ buffer, byteOffset, length }: Buffer): ArrayBuffer {
    if (length === buffer.byteLength) return buffer as ArrayBuffer;
    return buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
  }

  function call(name: string, values: readonly unknown[]): unknown {
    return callOf(guest, name, values);
  }

  function callOf({ interpreter }: Guest, name: string, values: readonly unknown[]): unknown {
    return interpreter
      .getSync(name, { reference: true })
      .applySync(undefined, values as unknown[], { result: { copy: true } });
  }

  function spentMs(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }

  function readSnapshot(): Buffer {
    const bytes = Buffer.alloc(fs.fstatSync(parts.snapshot).size);
    for (let at = 0; at < bytes.length;) at += fs.readSync(parts.snapshot, bytes, at, bytes.length - at, at);
    return bytes;
  }

  function writeSnapshot(program: string): never {
    const bytes = Buffer.from(call('snapshot', [program]) as ArrayBuffer);
    for (let at = 0; at < bytes.length;) at += fs.writeSync(parts.snapshot, bytes, at, bytes.length - at, at);
    process.exit(0);
  }
}
