/** Functions of the child that an interpreter calls. All take and return plain values. */
export interface InterpreterHost {
  /** Waits for the next frame of the host. */
  receive(): string;
  send(frame: string): void;
  /** Returns `count` random bytes, one in each UTF-16 unit. */
  random(count: number): string;
  /** Milliseconds of processor time that the run has used. */
  spentMs(): number;
  /** Milliseconds of an ever increasing clock. */
  monotonic(): number;
}

/** Files of Pyodide. */
export interface InterpreterFiles {
  wasm: ArrayBuffer | undefined;
  library: ArrayBuffer | undefined;
  /** Memory of an interpreter that has loaded the guest program. */
  snapshot: ArrayBuffer | undefined;
  /** Information about its version, without packages, as JSON. */
  readonly lock: string;
}

/** Parts that the child passes to {@link createInterpreter}. */
export interface InterpreterParts {
  readonly host: InterpreterHost;
  readonly files: InterpreterFiles;
}

/** The part of Pyodide's interface that is used here. */
interface PyodideApi {
  runPython(code: string): unknown;
  makeMemorySnapshot(): Uint8Array;
  setInterruptBuffer(buffer: object): void;
  readonly globals: { get(name: string): (...values: unknown[]) => unknown };
  readonly FS: FileSystem;
}

/** A file of Emscripten. */
interface FileNode {
  readonly contents?: { readonly length: number } | null;
}

/** The part of Emscripten's file system that is used here. */
interface FileSystem {
  readonly ErrnoError: new (errno: number) => object;
  readonly filesystems: {
    readonly MEMFS: {
      createNode(...place: readonly unknown[]): FileNode;
      expandFileStorage(node: FileNode, bytes: number): void;
      resizeFileStorage(node: FileNode, bytes: number): void;
    };
  };
}

/** The part of WebAssembly that is used here. The types of Node do not have it. */
interface Assembly {
  readonly Module: new (bytes: unknown) => object;
  readonly Instance: new (module: object, imports: unknown) => object;
  readonly Memory: { readonly prototype: { grow(this: { readonly buffer: ArrayBuffer }, pages: number): number } };
}

/** An interpreter in an isolate. */
export interface Interpreter {
  /** Loads Pyodide with the default export of `pyodide.asm.mjs` and `loadPyodide` of `pyodide.mjs`. */
  load(createModule: unknown, loadPyodide: (options: object) => Promise<PyodideApi>): void;
  /** Returns why Pyodide is not loaded, or an empty text, once the microtasks of `load` have run. */
  status(): string;
  /** Runs a script; `limits` are those of its start frame. Returns an empty text, `stack`, or why the interpreter failed. */
  run(limits: string, prelude: string, code: string, memoryBytes: number, cpuTimeMs: number): string;
  /** Runs the guest program and returns the memory afterwards. */
  snapshot(program: string): ArrayBuffer;
}

/**
 * Prepares the global scope of an isolate, which has nothing but ECMAScript, for Pyodide. Time and random values of the
 * interpreter come from here, so that a run can be repeated with the same ones.
 * Runs in the isolate: it must refer to nothing outside itself.
 */
export function createInterpreter({ host, files }: InterpreterParts): Interpreter {
  const scope = globalThis as unknown as Record<string, unknown>;
  const assembly = scope['WebAssembly'] as Assembly;
  const { Module, Instance, Memory } = assembly;
  const pageBytes = 65_536;
  /** Memory for the error of a script that has none left. */
  const spareBytes = 4_194_304;
  const checkEvery = 64;
  /** Memory of a file or folder without content. */
  const nodeBytes = 2_048;
  /** `ENOSPC` of WASI. */
  const noSpace = 51;
  const state = new Uint32Array(4);
  const usedBytes = files.snapshot?.byteLength ?? 0;
  let frozenMs: number | undefined;
  let maxBytes = Infinity;
  let cpuTimeMs = Infinity;
  let checks = 0;
  let ending = '';
  let fileBytes = 0;
  let pyodide: PyodideApi | undefined;
  let failure = 'it is still loading';

  // sfc32 of PractRand, as for durable scripts in JavaScript.
  function next(): number {
    const [first = 0, second = 0, third = 0, counter = 0] = state;
    const sum = (first + second + counter) >>> 0;
    state[0] = second ^ (second >>> 9);
    state[1] = third + (third << 3);
    state[2] = ((third << 21) | (third >>> 11)) + sum;
    state[3] = counter + 1;
    return sum;
  }

  function getRandomValues(view: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    if (frozenMs === undefined) {
      const values = host.random(bytes.length);
      for (let index = 0; index < bytes.length; index++) bytes[index] = values.charCodeAt(index);
    } else for (let index = 0; index < bytes.length; index++) bytes[index] = next() & 0xff;
    return view;
  }

  const systemNow = Date.now;
  Date.now = () => frozenMs ?? systemNow();
  scope['performance'] = { now: () => frozenMs ?? host.monotonic(), timeOrigin: 0 };
  scope['crypto'] = { getRandomValues };
  scope['readbuffer'] = (name: string) => (name.endsWith('.wasm') ? files.wasm : files.library);

  // At once, because the child has no event loop.
  Object.assign(assembly, {
    compile: async (bytes: unknown) => new Module(bytes),
    async instantiate(bytes: object, imports: unknown) {
      if (bytes instanceof Module) return new Instance(bytes, imports);
      const module = new Module(bytes);
      return { module, instance: new Instance(module, imports) };
    },
  });
  const { grow } = Memory.prototype;
  Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * pageBytes > maxBytes) throw new RangeError('The memory is used up');
    return grow.call(this, pages);
  };

  const functions = {
    receive: () => host.receive(),
    // The first outcome counts, and is sent when the script has really ended: the host stops to watch then.
    send(frame: string) {
      if (frame[0] !== 'e') host.send(frame);
      else if (ending === '') ending = frame;
    },
    freeze(now: number, seed: string) {
      frozenMs = now;
      for (let index = 0; index < 4; index++) state[index] = parseInt(seed.slice(index * 8, index * 8 + 8), 16);
      for (let round = 0; round < 12; round++) next();
    },
    spare: () => void (maxBytes += spareBytes),
    advance: (now: number) => void (frozenMs = Math.max(now, frozenMs ?? now)),
  };

  // Where recursion in C fills the stack of V8 first, CPython cannot raise an error any more.
  function isStackOverflow(error: unknown): boolean {
    return error instanceof RangeError && error.message.startsWith('Maximum call stack');
  }

  // Files are outside the memory of WebAssembly. All memory that they have ever taken counts: the isolate frees the old content of a
  // file that has grown, and removed files, at a time of its own.
  function boundFiles({ ErrnoError, filesystems: { MEMFS } }: FileSystem, mostBytes: number): void {
    const { createNode, expandFileStorage, resizeFileStorage } = MEMFS;
    const take = (bytes: number): void => {
      // Emscripten throws objects that are not errors.
      // oxlint-disable-next-line typescript/only-throw-error -- its file system reads the number of this object
      if (fileBytes + bytes > mostBytes) throw new ErrnoError(noSpace);
      fileBytes += bytes;
    };
    MEMFS.createNode = (...place) => {
      take(nodeBytes);
      return createNode(...place);
    };
    MEMFS.expandFileStorage = (node, bytes) => {
      const hasBytes = node.contents?.length ?? 0;
      if (bytes <= hasBytes) return;
      // Emscripten adds at least this room. Twice the size leaves less old content of a file that grows and grows.
      const least = Math.max(bytes, Math.ceil(hasBytes * (hasBytes < 1_048_576 ? 2 : 1.125)));
      const twice = Math.max(bytes, hasBytes * 2);
      const room = fileBytes + twice > mostBytes ? least : twice;
      take(room);
      expandFileStorage(node, room);
    };
    MEMFS.resizeFileStorage = (node, bytes) => {
      take(bytes);
      resizeFileStorage(node, bytes);
    };
  }

  // CPython reads it every few instructions; 2 is the signal of an interrupt.
  const interrupts = new Proxy(
    {},
    {
      get: () => (++checks % checkEvery === 0 && host.spentMs() > cpuTimeMs ? 2 : 0),
      set: () => true,
    },
  );

  return {
    load(createModule, loadPyodide) {
      loadPyodide({
        indexURL: '/',
        createPyodideModule: createModule,
        lockFileContents: files.lock,
        packageBaseUrl: '/',
        jsglobals: Object.freeze(Object.create(null)),
        env: { PYTHONHASHSEED: '0', HOME: '/workspace', TZ: 'UTC' },
        stdin: () => null,
        stdout() {},
        stderr() {},
        ...(files.snapshot === undefined ? { _makeSnapshot: true } : { _loadSnapshot: new Uint8Array(files.snapshot) }),
      }).then(
        (loaded) => {
          pyodide = loaded;
          failure = '';
          // They take more memory than the interpreter itself.
          files.wasm = files.library = files.snapshot = undefined;
        },
        (error: unknown) => void (failure = String(error)),
      );
    },
    status: () => failure,
    run(limits, prelude, code, memoryBytes, allowedMs) {
      const { FS, globals, setInterruptBuffer } = pyodide as PyodideApi;
      maxBytes = usedBytes + memoryBytes;
      cpuTimeMs = allowedMs;
      setInterruptBuffer(interrupts);
      boundFiles(FS, memoryBytes);
      try {
        globals.get('serve')(functions, limits, prelude, code);
      } catch (error) {
        if (isStackOverflow(error)) return 'stack';
        if (ending === '') return String(error);
      }
      host.send(ending);
      return '';
    },
    snapshot(program) {
      const { runPython, makeMemorySnapshot } = pyodide as PyodideApi;
      runPython(program);
      return new Uint8Array(makeMemorySnapshot()).buffer;
    },
  };
}
