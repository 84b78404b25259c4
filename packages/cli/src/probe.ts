import { randomUUID } from 'node:crypto';
import type { OpenedPlugins } from '@ravi/host';
import type { BlobStore, PortName, RunEngine, Sandbox, SandboxLanguage, StateStore } from '@ravi/kernel';

/** Uses an opened port once and says what it did; most ports have nothing to try without side effects. @throws what the port throws */
export async function probe(
  port: PortName,
  { blobStore, runEngine, sandbox, stateStore }: OpenedPlugins,
): Promise<string> {
  if (port === 'blobStore' && blobStore !== undefined) return probeBlobStore(blobStore);
  if (port === 'sandbox' && sandbox !== undefined) return probeSandbox(sandbox);
  if (port === 'stateStore' && stateStore !== undefined) return probeStateStore(stateStore);
  if (port === 'runEngine' && runEngine !== undefined) return probeEngine(runEngine);
  return 'opens';
}

async function probeEngine(engine: RunEngine): Promise<string> {
  const { ready, delayed, taken, dead } = await engine.figures();
  return `counts its wakes: ${ready} ready, ${delayed} delayed, ${taken} taken, ${dead} given up`;
}

async function probeBlobStore(store: BlobStore): Promise<string> {
  const scope = { principal: 'doctor', sessionId: 'doctor' };
  const ref = await store.store('probe', { mediaType: 'text/plain', scope, ttlMs: 60_000 });
  try {
    await store.resolve(ref);
  } finally {
    await store.delete(ref);
  }
  return 'writes, reads and deletes';
}

async function probeStateStore({ runs, processes, retention }: StateStore): Promise<string> {
  const id = `doctor-${randomUUID()}`;
  const now = Date.now();
  const run = { id, principal: 'doctor', sessionId: id, definition: { kind: 'doctor' }, createdAt: now };
  // With a living owner, so that no server recovers it.
  await processes?.register({ id, deadAfterMs: 60_000 });
  try {
    await runs.create(run, { owner: id });
    if ((await runs.get(id)) === undefined) throw new Error('a run that was written cannot be read');
  } finally {
    await runs.transition(id, { from: ['running'], to: 'cancelled', now });
    await retention?.removeRun(id);
    await processes?.remove(id);
  }
  return retention === undefined ? 'writes and reads' : 'writes, reads and deletes';
}

const emptyPreludes: Readonly<Record<SandboxLanguage, string>> = { javascript: 'return {}', python: 'names = {}' };

async function probeSandbox(sandbox: Sandbox): Promise<string> {
  const { languages, isolation } = sandbox.supports;
  for (const language of languages) await probeLanguage(sandbox, language);
  return `runs ${languages.join(' and ')} (isolation: ${isolation})`;
}

async function probeLanguage(sandbox: Sandbox, language: SandboxLanguage): Promise<void> {
  const outcome = await sandbox.run({
    language,
    code: 'return 6 * 7',
    prelude: emptyPreludes[language],
    principal: 'doctor',
    limits: {
      wallTimeMs: 10_000,
      cpuTimeMs: 5_000,
      memoryBytes: 67_108_864,
      maxConsoleBytes: 1_024,
      maxResultBytes: 1_024,
      maxCalls: 1,
      maxInFlight: 1,
    },
    bridge: () => Promise.reject(new Error('The probe calls nothing')),
    onConsole() {},
  });
  if (outcome.status === 'ok' && outcome.value === '42') return;
  throw new Error(`a ${language} script that returns 42 ended with ${JSON.stringify(outcome)}`);
}
