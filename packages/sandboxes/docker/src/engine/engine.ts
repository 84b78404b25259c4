import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { KernelError } from '@ravi/kernel';
import { createEngineClient } from './engine-client.ts';
import type { EngineAnswer, EngineWait } from './engine-client.ts';

/** A container as the engine lists it. */
export interface ListedContainer {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** What a sandbox asks of a container engine. Failures are KernelErrors with code `E_SANDBOX_UNAVAILABLE`. */
export interface Engine {
  readonly socketPath: string;
  /** Creates a container and gives its id. */
  create(specification: object): Promise<string>;
  start(id: string): Promise<void>;
  /**
   * The container's first process, where this machine shows it under the number that the engine tells; `undefined` for
   * an engine with process numbers of its own.
   */
  processIdOf(id: string): Promise<number | undefined>;
  /** Changes the memory of a container that runs, swap included. */
  limitMemory(id: string, bytes: number): Promise<void>;
  /** Waits until the container does not run, for its exit code. */
  waitForEnd(id: string): EngineWait<number>;
  /** Whether a container that ended was killed at its memory limit; one that is gone was not. */
  wasOutOfMemory(id: string): Promise<boolean>;
  /** Kills `pid`, which {@link processIdOf} gave, at once where this user may; the engine takes its time. */
  endProcess(pid: number, id: string): void;
  /** Ends and removes a container with its volumes; one that is gone already is no error. */
  remove(id: string): Promise<void>;
  /** Containers in any state that carry `label` (`name` or `name=value`). */
  list(label: string): Promise<readonly ListedContainer[]>;
  hasImage(name: string): Promise<boolean>;
  close(): void;
}

const removalTimeoutMs = 60_000;
const askAgainMs = 25;

/** The engine behind a socket. */
export function openEngine(socketPath: string): Engine {
  const client = createEngineClient(socketPath);
  const send = async (what: string, method: string, path: string, body?: object): Promise<EngineAnswer> =>
    accepted(what, await client.send(method, path, body));

  return {
    socketPath,
    async create(specification) {
      const { body } = await send('create a container', 'POST', '/containers/create', specification);
      return textAt(body, 'Id');
    },
    async start(id) {
      await send('start a container', 'POST', `/containers/${id}/start`);
    },
    async processIdOf(id) {
      const { body } = await send('inspect a container', 'GET', `/containers/${id}/json`);
      const pid = fieldAt(fieldAt(body, 'State'), 'Pid');
      return typeof pid === 'number' && pid > 0 && belongsTo(pid, id) ? pid : undefined;
    },
    async limitMemory(id, bytes) {
      const body = { Memory: bytes, MemorySwap: bytes };
      await send('limit the memory of a container', 'POST', `/containers/${id}/update`, body);
    },
    waitForEnd(id) {
      const { answer, keepAlive } = client.wait(`/containers/${id}/wait?condition=not-running`);
      return { answer: answer.then(({ body }) => Number(fieldAt(body, 'StatusCode') ?? -1)), keepAlive };
    },
    async wasOutOfMemory(id) {
      const { body } = await client.send('GET', `/containers/${id}/json`);
      return fieldAt(fieldAt(body, 'State'), 'OOMKilled') === true;
    },
    endProcess(pid, id) {
      try {
        if (belongsTo(pid, id)) process.kill(pid, 'SIGKILL');
      } catch {
        // Gone already, or another user's: the engine ends it.
      }
    },
    async remove(id) {
      const ask = (): Promise<EngineAnswer> => client.send('DELETE', `/containers/${id}?force=1&v=1`);
      const giveUpAt = performance.now() + removalTimeoutMs;
      let answer = await ask();
      // Somebody else's removal is under way; it is over when the engine knows the container no more.
      while (answer.status === 409 && performance.now() < giveUpAt) {
        await setTimeout(askAgainMs);
        answer = await ask();
      }
      if (answer.status !== 404) accepted('remove a container', answer);
    },
    async list(label) {
      const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
      const { body } = await send('list containers', 'GET', `/containers/json?all=1&filters=${filters}`);
      return Array.isArray(body) ? body.map(listed) : [];
    },
    async hasImage(name) {
      const answer = await client.send('GET', `/images/${encodeURIComponent(name)}/json`);
      return answer.status !== 404 && accepted('look for an image', answer).status === 200;
    },
    close: client.close,
  };
}

function accepted(what: string, answer: EngineAnswer): EngineAnswer {
  if (answer.status < 400) return answer;
  const message = fieldAt(answer.body, 'message');
  const reason = typeof message === 'string' ? message : 'no reason given';
  throw new KernelError(
    'E_SANDBOX_UNAVAILABLE',
    `The container engine could not ${what} (status ${answer.status}): ${reason}`,
    { retryable: answer.status >= 500 },
  );
}

/** Control groups carry the id of their container; a number that the engine tells from elsewhere is another process here. */
function belongsTo(pid: number, id: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'latin1').includes(id);
  } catch {
    return false;
  }
}

function listed(entry: unknown): ListedContainer {
  return { id: textAt(entry, 'Id'), labels: (fieldAt(entry, 'Labels') ?? {}) as Record<string, string> };
}

function textAt(value: unknown, name: string): string {
  const text = fieldAt(value, name);
  if (typeof text === 'string') return text;
  throw new KernelError('E_SANDBOX_UNAVAILABLE', `The container engine answered without ${name}`);
}

function fieldAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
