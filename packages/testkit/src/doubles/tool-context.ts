import { KernelError, systemClock } from '@ravi/kernel';
import type { BlobReader, Scratchpad, ToolContext } from '@ravi/kernel';
import { createMemoryLogger } from './memory-logger.ts';

/** Creates a context for running a tool on its own: no blobs and no place for artifacts, an empty scratchpad, discarded progress, no person to ask. */
export function createToolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  const signal = overrides.signal ?? new AbortController().signal;
  return {
    runId: 'run-1',
    callId: 'call-1',
    sessionId: 'session-1',
    principal: 'ada',
    signal,
    idempotencyKey: 'run-1/call-1',
    maxTextBytes: 3_072,
    files: { list: () => [], read: async (path) => notFound(path) },
    channels: {
      send: () => unsupported('channels'),
      receive: async () => unsupported('channels'),
    },
    sharedChannels: {
      send: () => unsupported('channels'),
      receive: async () => unsupported('channels'),
    },
    run: {
      tool: async () => unsupported('calls'),
      ask: async () => unsupported('questions'),
      llm: async () => unsupported('models'),
      spawn: () => unsupported('calls'),
      join: async () => unsupported('calls'),
      compact: () => unsupported('agent'),
      now: () => systemClock.now(),
      uuid: () => crypto.randomUUID(),
    },
    log: createMemoryLogger(),
    scratchpad: createScratchpad(),
    blobs: noBlobs,
    clock: systemClock,
    storeArtifact: () => Promise.reject(new KernelError('E_BLOB_UNAVAILABLE', 'There is no artifact store')),
    progress() {},
    reserveModel: async () => ({ settle() {} }),
    reportsProgress: overrides.progress !== undefined,
    elicit: () => Promise.reject(new KernelError('E_UNSUPPORTED', 'There is no person to ask')),
    completion: () => Promise.reject(new KernelError('E_UNSUPPORTED', 'There is no store for a token')),
    check() {
      if (signal.aborted) throw new KernelError('E_CANCELLED', 'The call was cancelled');
    },
    begin: async () => {
      if (signal.aborted) throw new KernelError('E_CANCELLED', 'The call was cancelled');
    },
    ...overrides,
  };
}

function createScratchpad(): Scratchpad {
  const values = new Map<string, unknown>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    keys: () => [...values.keys()],
  };
}

const noBlobs: BlobReader = {
  resolve: async (ref) => notFound(ref),
  open: async (ref) => notFound(ref),
  stat: async () => undefined,
};

function unsupported(what: string): never {
  throw new KernelError('E_UNSUPPORTED', `A context of createToolContext has no ${what}: use runTool`);
}

function notFound(ref: string): never {
  throw new KernelError('E_BLOB_NOT_FOUND', `There is no blob ${ref}`);
}
