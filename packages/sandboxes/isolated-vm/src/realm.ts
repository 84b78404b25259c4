import type { OpenRealm, Realm, RealmFault } from '@ravi/sandbox-kit';
import type { Context, Isolate, Reference } from 'isolated-vm';

/**
 * Realms in V8 isolates of their own, run on the child's main thread.
 * Goes to the child as text: it must refer to nothing outside itself.
 */
export function openIsolates({ binary }: { readonly binary: string }): OpenRealm {
  const addon = { exports: {} as { ivm: typeof import('isolated-vm') } };
  process.dlopen(addon, binary);
  const { ivm } = addon.exports;
  const position = / \[[^[\]]*:(\d+):(\d+)\]$/;

  return (guestSource, memoryBytes): Realm => {
    // Without a handler for a heap beyond repair: with one the addon waits for an event loop, which a pump has not.
    const isolate: Isolate = new ivm.Isolate({ memoryLimit: Math.max(8, Math.ceil(memoryBytes / 1_048_576)) });
    const context: Context = isolate.createContextSync();
    const runtime = context.evalSync(guestSource, { reference: true });
    const entry = (name: string): Reference => runtime.getSync(name, { reference: true });
    const entries = {
      prelude: entry('prelude'),
      script: entry('script'),
      begin: entry('begin'),
      deliver: entry('deliver'),
      drain: entry('drain'),
      flush: entry('flush'),
    };
    let spentBefore = 0n;
    let allowedMs = 0;

    return {
      load(name, source, filename, columnOffset) {
        return attempt((timeout) => {
          const script = isolate.compileScriptSync(source, { filename, columnOffset });
          const compiled = script.runSync(context, { reference: true, timeout }) as unknown as Reference;
          return entries[name].applySync(undefined, [compiled.derefInto()], { timeout });
        });
      },
      call(name, text) {
        return attempt((timeout) => entries[name].applySync(undefined, [text], { timeout }));
      },
      allowCpu(timeMs) {
        if (!isolate.isDisposed) spentBefore = isolate.cpuTime;
        allowedMs = timeMs;
      },
      dispose() {
        if (!isolate.isDisposed) isolate.dispose();
      },
    };

    function attempt(run: (timeout: number) => unknown): string | RealmFault {
      if (isolate.isDisposed) return { kind: 'limit', limit: 'memory' };
      const leftMs = allowedMs - Number(isolate.cpuTime - spentBefore) / 1e6;
      if (leftMs <= 0) return { kind: 'limit', limit: 'cpu' };
      try {
        return (run(Math.ceil(leftMs)) ?? '') as string;
      } catch (error) {
        return faultOf(error as Error);
      }
    }

    function faultOf(error: Error): RealmFault {
      if (isolate.isDisposed) return { kind: 'limit', limit: 'memory' };
      if (error.message === 'Script execution timed out.') return { kind: 'limit', limit: 'cpu' };
      const found = error.name === 'SyntaxError' ? position.exec(error.message) : null;
      if (found === null) return { kind: 'crash', message: error.message };
      const message = error.message.slice(0, found.index);
      return { kind: 'syntax', message, line: Number(found[1]), column: Number(found[2]) };
    }
  };
}
