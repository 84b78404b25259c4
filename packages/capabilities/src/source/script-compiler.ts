import { KernelError, systemClock } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { openHelperProcess } from '../helper/helper-process.ts';
import type { HelperProcess } from '../helper/helper-process.ts';
import { compileScript } from './compile-script.ts';
import type { Compilation } from './compile-script.ts';

/** Options of {@link createScriptCompiler}. */
export interface ScriptCompilerOptions {
  /** Maximum time to compile one script, in milliseconds; 1000 when absent. */
  readonly timeLimitMs?: number;
  readonly clock?: Clock;
}

/** Compiler of scripts. Disposing it ends its process; the process starts again when the compiler is used again. */
export interface ScriptCompiler extends AsyncDisposable {
  /**
   * Compiles a script. A source that takes too long or breaks the compiler is a problem like any other.
   * @throws KernelError `E_INTERNAL` when the process cannot start
   */
  compile(source: string): Promise<SettledCompilation>;
}

/** A compilation that succeeded or found a problem. */
export type SettledCompilation = Compilation & { readonly status: 'ok' | 'problem' };

// Larger sources, especially hostile ones, can take a parser a second: never parse them on the thread that serves requests.
const maxInlineLength = 4_096;

/**
 * Creates a compiler with a process of its own, which starts for the first script that has types or is large, and is
 * replaced after a script broke it. Short JavaScript is compiled in this process.
 */
export function createScriptCompiler(options: ScriptCompilerOptions = {}): ScriptCompiler {
  const { timeLimitMs = 1_000, clock = systemClock } = options;
  let helper: HelperProcess<string, Compilation> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  async function startHelper(): Promise<HelperProcess<string, Compilation>> {
    const starting = openHelperProcess<string, Compilation>({
      name: 'compile-helper',
      from: import.meta.url,
      heapMb: 256,
      clock,
    });
    if (await starting.start()) return starting;
    const { failure: cause } = starting;
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    throw new KernelError('E_INTERNAL', `The script compiler cannot start${reason}`, { cause });
  }

  async function closeHelper(): Promise<void> {
    const closed = helper;
    helper = undefined;
    await closed?.close();
  }

  async function compileInHelper(source: string): Promise<SettledCompilation> {
    helper ??= await startHelper();
    const compiled = await helper.ask(source, timeLimitMs);
    if (compiled.status === 'answered' && compiled.answer.status !== 'needs-types-erased') return compiled.answer;
    await closeHelper();
    if (compiled.status !== 'late') return problem('The script crashes the compiler; simplify it');
    return problem(`The script takes longer than ${timeLimitMs} ms to compile; simplify it`);
  }

  return {
    async compile(source) {
      if (source.length <= maxInlineLength) {
        const compilation = compileScript(source);
        if (compilation.status !== 'needs-types-erased') return compilation;
      }
      const compiled = queue.then(() => compileInHelper(source));
      queue = compiled.catch(() => undefined);
      return compiled;
    },
    async [Symbol.asyncDispose]() {
      await queue;
      await closeHelper();
    },
  };
}

function problem(message: string): SettledCompilation {
  return { status: 'problem', message, offset: 0 };
}
