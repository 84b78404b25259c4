import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { createOpenApiSource } from '@ravi/openapi';
import { runTool } from '@ravi/testkit';
import { createImageGen, openData } from '@ravi/tools-data';
import { createWebFetch, createWebSearch, openWeb } from '@ravi/tools-web';
import { afterAll, beforeAll, test } from 'vitest';
import { hostileAddresses, hostileNames, otherAddresses } from './support/hostile-addresses.ts';

const hits: string[] = [];
const canaries = ['127.0.0.1', '::1'].map((host) => ({
  host,
  server: createServer(({ url = '' }, response) => {
    hits.push(url);
    response.end('{}');
  }),
}));
let port = 0;
beforeAll(async () => {
  for (const { host, server } of canaries) {
    server.listen(port, host);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }
});
afterAll(() => {
  for (const { server } of canaries) {
    server.closeAllConnections();
    server.close();
  }
});

function lookup(): (name: string) => Promise<readonly string[]> {
  const left = new Map(Object.entries(hostileNames).map(([name, answers]) => [name, [...answers]]));
  return async (name) => {
    const answers = left.get(name);
    if (answers === undefined) return ['127.0.0.1'];
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  };
}

const isRefusal = (code: string | undefined): boolean =>
  /^E_(?:FETCH_REFUSED|FETCH_FAILED|ARGUMENTS_INVALID|CONFIG_INVALID)$/.test(code ?? '');

/** Calls the tool that `open` makes, and returns the code of the error. */
async function codeOf(
  open: () => { readonly tool: Tool } & AsyncDisposable,
  args: object,
): Promise<string | undefined> {
  try {
    await using opened = open();
    const { result } = await runTool(opened.tool, { ...args }, { policy: { maxToolRetries: 0 } });
    return result.error?.code;
  } catch (error) {
    return (error as { readonly code?: string }).code;
  }
}

function opened(tool: Tool | undefined, parts: AsyncDisposable): { readonly tool: Tool } & AsyncDisposable {
  assert.ok(tool);
  return { tool, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
}

/** Ways to make each tool ask an address. */
const tools: Readonly<Record<string, (address: string) => Promise<string | undefined>>> = {
  web_fetch: (url) =>
    codeOf(
      () => {
        const web = openWeb({ lookup: lookup(), clock: systemClock });
        return opened(createWebFetch(web), web);
      },
      { url },
    ),
  web_search: (url) =>
    codeOf(
      () => {
        const web = openWeb({ search: { service: 'searxng', url }, lookup: lookup(), clock: systemClock });
        return opened(web.search && createWebSearch(web.search), web);
      },
      { query: 'x' },
    ),
  image_gen: (url) =>
    codeOf(
      () => {
        const images = { service: 'openai', model: 'm', key: 'k', url, lookup: lookup() } as const;
        const data = openData({ images, baseDir: '/', clock: systemClock });
        return opened(data.images && createImageGen(data.images), data);
      },
      { prompt: 'x' },
    ),
  async openapi(document) {
    try {
      const source = createOpenApiSource({
        name: 'api',
        document,
        lookup: lookup(),
        baseDir: '/nowhere',
        clock: systemClock,
      });
      await using open = await source.open({ signal: AbortSignal.timeout(30_000), onChange: () => {} });
      return open.content().tools.length === 0 && open.remote?.status().state === 'failed'
        ? 'E_FETCH_REFUSED'
        : undefined;
    } catch (error) {
      return (error as { readonly code?: string }).code;
    }
  },
};

test('there are at least sixty spellings', () => {
  assert.ok(new Set([...hostileAddresses(1), ...otherAddresses(1)]).size >= 60);
});

for (const [name, ask] of Object.entries(tools)) {
  test(`${name} reaches no address of this machine or a private network in any spelling`, async () => {
    for (const address of [...hostileAddresses(port), ...otherAddresses(port)]) {
      const code = await ask(address);
      assert.ok(isRefusal(code), `${address}: ${code}`);
    }
    assert.deepEqual(hits, []);
  });
}

test('no redirect of a public server leads to any of them', async () => {
  // The public server is this one, because the names of it are checked like any other: its first look-up is allowed by the test only.
  const addresses = [...hostileAddresses(port), ...otherAddresses(port), `https://127.0.0.1:${port}/canary`];
  let location = '';
  const redirecting = createServer(({ url = '' }, response) => {
    // A chain of three before the target.
    const step = Number(url.slice(1));
    response.writeHead([301, 302, 307, 308][step % 4] ?? 302, { location: step < 3 ? `/${step + 1}` : location }).end();
  });
  redirecting.listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
  const own = (redirecting.address() as AddressInfo).port;
  try {
    for (const address of addresses) {
      location = encodeLocation(address);
      // Private addresses are allowed so that the first server is reached; the targets are other hosts than the allowed one.
      await using web = openWeb({
        allowHosts: [`public.test:${own}`],
        allowPrivateAddresses: true,
        lookup: async () => ['127.0.0.1'],
        clock: systemClock,
      });
      const { result } = await runTool(
        createWebFetch(web),
        { url: `http://public.test:${own}/0` },
        { policy: { maxToolRetries: 0 } },
      );
      // A target that the parser of addresses reads as relative ends at the first server.
      assert.ok(
        /^E_(?:FETCH_REFUSED|FETCH_FAILED)$/.test(result.error?.code ?? ''),
        `${address}: ${result.error?.code}`,
      );
    }
  } finally {
    redirecting.closeAllConnections();
    redirecting.close();
  }
  assert.deepEqual(hits, []);
});

test('a name that changes its address between two requests reaches nothing private', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254']];
  await using web = openWeb({ lookup: async () => answers.shift() ?? ['127.0.0.1'], clock: systemClock });
  for (let round = 0; round < 4; round++) {
    const { result } = await runTool(createWebFetch(web), { url: `http://rebind.test:${port}/canary` });
    assert.equal(result.error?.code, 'E_FETCH_REFUSED');
  }
  assert.deepEqual(hits, []);
});

/** A header holds Latin characters only. */
function encodeLocation(address: string): string {
  return Buffer.from(address)
    .toString('latin1')
    .replaceAll(/[\t\n]/g, '');
}
