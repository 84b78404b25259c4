import type IsolatedVm from 'isolated-vm';
import type { OpenRealm, Realm, RealmFault } from './realm.ts';

/**
 * Opens realms in V8 isolates of their own, run on the main thread of the child. `binary` is the path of the isolated-vm
 * addon in the child.
 * Sent to the child as text: it must refer to nothing outside itself.
 */
export function openIsolates({ binary }: { readonly binary: string }): OpenRealm {
  const addon = { exports: {} as { ivm: typeof IsolatedVm } };
  process.dlopen(addon, binary);
  const { ivm } = addon.exports;
  // Compiles inner functions at once, so that the code cache has them too: a new guest is ready in half the time.
  process.getBuiltinModule('node:v8').setFlagsFromString('--no-lazy');
  const position = / \[[^[\]]*:(\d+):(\d+)\]$/;
  const caches = new Map<string, { readonly source: string; readonly data: IsolatedVm.ExternalCopy<ArrayBuffer> }>();

  return (guestSource, memoryBytes): Realm => {
    // Without a handler for catastrophic errors: with one the addon waits for an event loop, which a pump does not have.
    const isolate: IsolatedVm.Isolate = new ivm.Isolate({
      memoryLimit: Math.max(8, Math.ceil(memoryBytes / 1_048_576)),
    });
    const context: IsolatedVm.Context = isolate.createContextSync();
    const runtime = compileCached('runtime.js', guestSource).runSync(context, { reference: true });
    const entry = (name: string): IsolatedVm.Reference => runtime.getSync(name, { reference: true });
    const entries = {
      prelude: entry('prelude'),
      script: entry('script'),
      limit: entry('limit'),
      deliver: entry('deliver'),
      drain: entry('drain'),
      fire: entry('fire'),
      flush: entry('flush'),
      connect: entry('connect'),
    };
    let spentBefore = 0n;
    let allowedMs = 0;

    return {
      load(name, source, filename, columnOffset) {
        return attempt((timeout) => {
          const script =
            name === 'prelude'
              ? compileCached(filename, source)
              : isolate.compileScriptSync(source, { filename, columnOffset });
          const compiled = script.runSync(context, { reference: true, timeout });
          return entries[name].applySync(undefined, [compiled.derefInto()], { timeout });
        });
      },
      call(name, text) {
        if (name === 'drain') return drain();
        return attempt((timeout) => entries[name].applySync(undefined, [text], { timeout }));
      },
      connect: (send) => void entries.connect.applySync(undefined, [new ivm.Callback(send)]),
      allowCpu(timeMs) {
        if (!isolate.isDisposed) spentBefore = isolate.cpuTime;
        allowedMs = timeMs;
      },
      dispose() {
        if (!isolate.isDisposed) isolate.dispose();
      },
    };

    // Compiles our own code, with the code cache of an earlier guest for the same text.
    function compileCached(filename: string, source: string): IsolatedVm.Script {
      const cached = caches.get(filename);
      if (cached?.source === source) return isolate.compileScriptSync(source, { filename, cachedData: cached.data });
      const script = isolate.compileScriptSync(source, { filename, produceCachedData: true });
      const data = (script as IsolatedVm.Script & { cachedData?: IsolatedVm.ExternalCopy<ArrayBuffer> }).cachedData;
      if (data !== undefined) caches.set(filename, { source, data });
      return script;
    }

    // Without the time limit and the check of the clock, which take as long as the entry itself: no user code runs here.
    function drain(): string | RealmFault {
      try {
        return entries.drain.applySync() as string;
      } catch (error) {
        return faultOf(error);
      }
    }

    function attempt(run: (timeout: number) => unknown): string | RealmFault {
      if (isolate.isDisposed) return { kind: 'limit', limit: 'memory' };
      const leftMs = allowedMs - Number(isolate.cpuTime - spentBefore) / 1e6;
      if (leftMs <= 0) return { kind: 'limit', limit: 'cpu' };
      try {
        return (run(Math.ceil(leftMs)) ?? '') as string;
      } catch (error) {
        return faultOf(error);
      }
    }

    function faultOf(error: unknown): RealmFault {
      if (isolate.isDisposed) return { kind: 'limit', limit: 'memory' };
      // A promise job of the script may throw any value.
      if (!(error instanceof Error))
        return { kind: 'crash', message: 'a promise job threw a value that is not an error' };
      if (error.message === 'Script execution timed out.') return { kind: 'limit', limit: 'cpu' };
      const found = error.name === 'SyntaxError' ? position.exec(error.message) : null;
      if (found === null) return { kind: 'crash', message: error.message };
      const message = error.message.slice(0, found.index);
      return { kind: 'syntax', message, line: Number(found[1]), column: Number(found[2]) };
    }
  };
}
