import type { OpenRealm, Realm, RealmFault } from '@ravi/sandbox-kit';

/**
 * Opens realms as `node:vm` contexts of the child's own isolate.
 * Sent to the child as text: it must refer to nothing outside itself.
 */
export function openContexts(): OpenRealm {
  'use strict';
  const vm = process.getBuiltinModule('node:vm');
  const stepName = 'ravi:step';
  // Evaluating any code in the context also runs its promise jobs, all under one time limit.
  const step = new vm.Script(`this['${stepName}']()`);

  interface Mailbox {
    readonly post: (entry: string, argument: unknown) => void;
  }

  return (guestSource): Realm => {
    const scope = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
      microtaskMode: 'afterEvaluate',
      codeGeneration: { strings: true, wasm: false },
    });
    const mailbox = vm.runInContext(
      `(() => {
        'use strict';
        const runtime = ${guestSource};
        let entry;
        let argument;
        const step = () => {
          if (entry === undefined) return undefined;
          const name = entry;
          const value = argument;
          entry = argument = undefined;
          return runtime[name](value);
        };
        Object.defineProperty(globalThis, '${stepName}', { value: step });
        return { post(name, value) { entry = name; argument = value; } };
      })()`,
      scope,
    ) as Mailbox;
    let leftMs = 0;

    return {
      load(name, source, filename, columnOffset) {
        let compiled: unknown;
        try {
          compiled = new vm.Script(source, { filename, columnOffset }).runInContext(scope);
        } catch (error) {
          return syntaxFault(error as Error, columnOffset);
        }
        return attempt(name, compiled);
      },
      call: attempt,
      connect(send) {
        mailbox.post('connect', send);
        step.runInContext(scope);
      },
      allowCpu(timeMs) {
        leftMs = timeMs;
      },
      dispose() {},
    };

    function attempt(name: string, argument: unknown): string | RealmFault {
      const timeout = Math.ceil(leftMs);
      if (timeout <= 0) return { kind: 'limit', limit: 'cpu' };
      const before = spentMs();
      mailbox.post(name, argument);
      try {
        return (step.runInContext(scope, { timeout }) ?? '') as string;
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { kind: 'limit', limit: 'cpu' };
        return { kind: 'crash', message };
      } finally {
        leftMs -= spentMs() - before;
      }
    }
  };

  function spentMs(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }

  // The report of V8 starts with `file:line`, the source line, and carets below the position.
  function syntaxFault(error: Error, columnOffset: number): RealmFault {
    const [place = '', , carets = ''] = (error.stack ?? '').split('\n');
    const line = Number(place.slice(place.lastIndexOf(':') + 1));
    const column = Math.max(0, carets.indexOf('^')) + 1 + (line === 1 ? columnOffset : 0);
    return { kind: 'syntax', message: error.message, line, column: Math.max(1, column) };
  }
}
