import type { InvokerSession, SessionOptions, ToolInvoker } from '@ravi/invoker';
import type { FrameworkRun } from './gateway-types.ts';

/** Options of {@link createRuns}. */
export interface RunsOptions {
  readonly invoker: ToolInvoker;
  readonly session: SessionOptions;
  readonly maxRuns: number;
  /** Returns how many calls of the run earlier processes have started. */
  readonly countStarted: (run: FrameworkRun) => Promise<number>;
  /** True if a call of the run is in progress. */
  readonly isBusy: (run: FrameworkRun) => boolean;
  /** Called for a run that leaves because of `maxRuns`. */
  readonly onEvict: (run: FrameworkRun) => void;
}

/** Sessions of runs. */
export interface Runs {
  /** Returns the session of the run, opened at its first call. */
  open(run: FrameworkRun): Promise<InvokerSession>;
  /** Returns the session if it is open. */
  find(run: FrameworkRun): InvokerSession | undefined;
  close(run: FrameworkRun): Promise<void>;
  closeAll(): Promise<void>;
}

interface OpenRun {
  readonly run: FrameworkRun;
  readonly session: InvokerSession;
  /** Resolves when the calls of earlier processes are counted. */
  readonly ready: Promise<void>;
}

/** Creates {@link Runs}: one session per run, so that its budget, grants and artifacts last from the first call to the last. */
export function createRuns({ invoker, session: shared, maxRuns, countStarted, isBusy, onEvict }: RunsOptions): Runs {
  const runs = new Map<string, OpenRun>();

  function start(run: FrameworkRun): OpenRun {
    const { runId, sessionId = runId, principal = 'local' } = run;
    const session = invoker.openSession({ ...shared, runId, sessionId, principal });
    const ready = countStarted(run).then((count) => {
      for (let index = 0; index < count; index++) session.countCall();
    });
    return { run, session, ready };
  }

  function evict(): void {
    for (const [key, { run, session }] of runs) {
      if (runs.size <= maxRuns) return;
      if (isBusy(run)) continue;
      runs.delete(key);
      void session.close();
      onEvict(run);
    }
  }

  return {
    async open(run) {
      const key = keyOfRun(run);
      const known = runs.get(key) ?? start(run);
      // The most recently used run is the last one.
      runs.delete(key);
      runs.set(key, known);
      evict();
      try {
        await known.ready;
      } catch (error) {
        runs.delete(key);
        await known.session.close();
        throw error;
      }
      return known.session;
    },
    find: (run) => runs.get(keyOfRun(run))?.session,
    async close(run) {
      const known = runs.get(keyOfRun(run));
      runs.delete(keyOfRun(run));
      await known?.session.close();
    },
    async closeAll() {
      const open = [...runs.values()];
      runs.clear();
      await Promise.all(open.map(({ session }) => session.close()));
    },
  };
}

/** Returns a text that is equal for equal runs. */
export function keyOfRun({ runId, sessionId = runId, principal = 'local' }: FrameworkRun): string {
  return JSON.stringify([principal, sessionId, runId]);
}
