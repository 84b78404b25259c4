import { writeSync } from 'node:fs';
import type { BlobStore, CompleteStateStore } from '@ravi/kernel';
import type { CrashOrders } from './orders.ts';

const methods = {
  runs: ['create', 'get', 'list', 'transition', 'claim', 'listFree', 'listHeld'],
  processes: ['register', 'beat'],
  journal: ['started', 'finished', 'observed', 'entries'],
  approvals: ['create', 'get', 'list', 'decide', 'consume', 'changes'],
  blobs: ['store', 'pin', 'unpin'],
} as const;

// Only runs of agents pass these.
const agentMethods = { approvals: ['withdraw'], history: ['append', 'read'] } as const;

// The tools of a world have points of their own.
const effects = ['mail', 'row', 'wire'] as const;

/** Points at which a process may kill itself: before and after each operation with a lasting effect. */
export const crashPoints: readonly string[] = aroundEach([
  ...Object.entries(methods).flatMap(([port, names]) => names.map((name) => `${port}.${name}`)),
  ...effects,
]);

/** Returns the points before and after each operation. */
export function aroundEach(operations: readonly string[]): readonly string[] {
  return operations.flatMap((operation) => [`before ${operation}`, `after ${operation}`]);
}

/** Passes a point; the process ends there, as by `kill -9`, if its orders say so. */
export type PassPoint = (point: string) => void;

/** Returns the {@link PassPoint} of a process. */
export function createCrashPoint({ kill }: Pick<CrashOrders, 'kill'>): PassPoint {
  let passed = 0;
  return (point) => {
    if (point !== kill?.point || ++passed < kill.occurrence) return;
    writeSync(1, `killed ${point}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
}

/** Returns a store whose operations pass their points. */
export function withStatePoints(store: CompleteStateStore, pass: PassPoint): CompleteStateStore {
  return {
    ...store,
    runs: passing(store.runs, 'runs', methods.runs, pass),
    processes: passing(store.processes, 'processes', methods.processes, pass),
    journal: passing(store.journal, 'journal', methods.journal, pass),
    approvals: passing(store.approvals, 'approvals', [...methods.approvals, ...agentMethods.approvals], pass),
    history: passing(store.history, 'history', agentMethods.history, pass),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Returns a blob store whose operations pass their points. */
export function withBlobPoints(store: BlobStore, pass: PassPoint): BlobStore {
  return passing(store, 'blobs', methods.blobs, pass);
}

function passing<Port extends object>(port: Port, name: string, names: readonly string[], pass: PassPoint): Port {
  const wrapped = { ...port } as Record<string, unknown>;
  for (const method of names) {
    const call = port[method as keyof Port] as (...args: unknown[]) => Promise<unknown>;
    wrapped[method] = async (...args: unknown[]) => {
      pass(`before ${name}.${method}`);
      const result = await call.apply(port, args);
      pass(`after ${name}.${method}`);
      return result;
    };
  }
  return wrapped as Port;
}
