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

/** Operations of a container engine. Failures are KernelErrors with the code `E_SANDBOX_UNAVAILABLE`. */
export interface Engine {
  readonly socketPath: string;
  /** Creates a container and returns its id. */
  create(specification: object): Promise<string>;
  start(id: string): Promise<void>;
  /**
   * Returns the first process of the container, if this machine knows it by the id that the engine reports; `undefined` for
   * an engine with process ids of its own.
   */
  processIdOf(id: string): Promise<number | undefined>;
  /** Changes the memory limit of a running container, swap included. */
  limitMemory(id: string, bytes: number): Promise<void>;
  /** Waits until the container has ended; returns its exit code. */
  waitForEnd(id: string): EngineWait<number>;
  /** Returns true if an ended container was killed at its memory limit; false if it is gone. */
  wasOutOfMemory(id: string): Promise<boolean>;
  /** Kills `pid` of {@link processIdOf} at once, if this user may; the engine itself is slower. */
  endProcess(pid: number, id: string): void;
  /** Ends and removes a container with its volumes; succeeds if it is already gone. */
  remove(id: string): Promise<void>;
  /** Returns the containers in any state that have `label` (`name` or `name=value`). */
  list(label: string): Promise<readonly ListedContainer[]>;
  hasImage(name: string): Promise<boolean>;
  close(): void;
}

const removalTimeoutMs = 60_000;
const askAgainMs = 25;

/** Opens the engine at a socket. */
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
        // Already gone, or of another user: the engine ends it.
      }
    },
    async remove(id) {
      const ask = (): Promise<EngineAnswer> => client.send('DELETE', `/containers/${id}?force=1&v=1`);
      const giveUpAt = performance.now() + removalTimeoutMs;
      let answer = await ask();
      // Another removal is in progress; it is complete when the engine no longer knows the container.
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

// Control groups contain the id of their container. A process id from another machine is another process here.
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
  throw new KernelError('E_SANDBOX_UNAVAILABLE', `The response of the container engine has no ${name}`);
}

function fieldAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
