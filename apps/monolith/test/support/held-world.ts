import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Report of a tool that ran in a server. */
export interface Report {
  readonly kind: 'call' | 'abort';
  /** Name of the effect. */
  readonly id: string;
  /** Process id of the server. */
  readonly pid: number;
  /** Code of the error that aborted the signal. */
  readonly reason?: string;
}

/** Server outside the tested processes. A call of the tool `wire` has its effect at once and returns when the world answers. */
export interface HeldWorld extends AsyncDisposable {
  readonly reports: readonly Report[];
  /** Source of the tool `wire`: not idempotent, and deaf to its signal, except that it reports that it aborts. */
  readonly tool: string;
  /** Answers every open call of these effects. */
  answer(...ids: readonly string[]): void;
  /** Resolves when there are this many reports that `isMeant` selects. */
  until(count: number, isMeant: (report: Report) => boolean): Promise<void>;
}

/** Starts a world. */
export async function startHeldWorld(): Promise<HeldWorld> {
  const reports: Report[] = [];
  const open = new Map<string, ServerResponse>();
  const watches = new Set<() => void>();
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const report = body as Report;
      reports.push(report);
      if (report.kind === 'call') open.set(report.id, response);
      else response.end('{}');
      for (const look of watches) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    reports,
    tool: `
const codeOf = (error) => (error.cause === undefined ? error.code : codeOf(error.cause));
const report = (body) => fetch(${JSON.stringify(url)}, { method: 'POST', body: JSON.stringify({ ...body, pid: process.pid }) });
export default {
  name: 'wire',
  description: 'Wires money.',
  risk: 'high',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  async execute({ id }, { signal }) {
    signal.addEventListener('abort', () => void report({ kind: 'abort', id, reason: codeOf(signal.reason) }));
    await (await report({ kind: 'call', id })).text();
    return { content: [{ type: 'text', text: 'wired ' + id }], isError: false };
  },
};
`,
    answer(...ids) {
      for (const id of ids) open.get(id)?.end('{}');
    },
    until(count, isMeant) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (reports.filter(isMeant).length >= count) resolve();
      };
      watches.add(look);
      look();
      return promise.finally(() => watches.delete(look));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
