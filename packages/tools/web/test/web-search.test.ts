import { createMemoryLogger, runTool, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer, LoopbackRequest, LoopbackServer } from '@ravi/testkit';
import { systemClock } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { expect, test } from 'vitest';
import plugin, { createWebSearch, openWeb } from '../src/index.ts';
import type { SearchOptions, SearchService, WebParts } from '../src/index.ts';

const key = 'key/of+the account';

function open(server: LoopbackServer, service: SearchService, path: string = '/find'): WebParts {
  const search: SearchOptions = {
    service,
    url: `${server.url}${path}`,
    key,
    engine: 'cx-1',
    allowPrivateAddresses: true,
  };
  return openWeb({ search, clock: systemClock });
}

function toolOf({ search }: WebParts): Tool {
  if (search === undefined) throw new Error('There is no search');
  return createWebSearch(search);
}

const two = [
  { title: 'First', url: 'https://one.test/', snippet: 'About one', date: '2 days ago' },
  { title: 'Second', url: 'https://two.test/', snippet: 'About two' },
];

const wires: Record<SearchService, { readonly body: object; readonly check: (request: LoopbackRequest) => void }> = {
  searxng: {
    body: {
      results: [
        { title: 'First', url: 'https://one.test/', content: 'About one', publishedDate: '2 days ago', engine: 'x' },
        { title: 'Second', url: 'https://two.test/', content: 'About two', publishedDate: null },
      ],
    },
    check: ({ path, headers }) => {
      expect(path).toBe('/find/search?q=caf%C3%A9+%26+x&format=json&pageno=1&language=fr');
      expect(headers.authorization).toBe(`Bearer ${key}`);
    },
  },
  brave: {
    body: {
      web: {
        results: [
          { title: 'First', url: 'https://one.test/', description: 'About one', age: '2 days ago' },
          { title: 'Second', url: 'https://two.test/', description: 'About two' },
        ],
      },
    },
    check: ({ path, headers }) => {
      expect(path).toBe('/find?q=caf%C3%A9+%26+x&count=2&offset=0&text_decorations=false&search_lang=fr');
      expect(headers['x-subscription-token']).toBe(key);
    },
  },
  tavily: {
    body: {
      results: [
        { title: 'First', url: 'https://one.test/', content: 'About one', score: 1, published_date: '2 days ago' },
        { title: 'Second', url: 'https://two.test/', content: 'About two', score: 0.5 },
      ],
    },
    check: ({ method, path, headers, body }) => {
      expect([method, path]).toEqual(['POST', '/find']);
      expect(headers.authorization).toBe(`Bearer ${key}`);
      expect(body).toEqual({ query: 'caf\u00e9 & x', max_results: 2, search_depth: 'basic' });
    },
  },
  google: {
    body: {
      items: [
        { title: 'First', link: 'https://one.test/', snippet: 'About one' },
        { title: 'Second', link: 'https://two.test/', snippet: 'About two' },
      ],
    },
    check: ({ path, headers }) => {
      expect(path).toBe('/find?cx=cx-1&q=caf%C3%A9+%26+x&num=2&start=1&lr=lang_fr');
      expect(headers['x-goog-api-key']).toBe(key);
    },
  },
};

test.each(Object.keys(wires) as SearchService[])(
  '%s is asked as it documents, and its results are read',
  async (service) => {
    const { body, check } = wires[service];
    await using server = await startLoopbackServer(() => ({ body }));
    await using web = open(server, service);
    const { result, approvals } = await runTool(toolOf(web), {
      query: 'caf\u00e9 & x',
      count: 2,
      language: 'fr',
    });
    const results = service === 'google' ? two.map(({ date: _date, ...rest }) => rest) : two;
    expect(result.structured).toEqual({ results });
    expect(result.text).toMatch(/^1\. First.*\nhttps:\/\/one\.test\/\nAbout one\n\n2\. Second/);
    expect(approvals).toEqual([]);
    for (const request of server.requests) check(request);
    expect(server.requests).toHaveLength(1);
  },
);

async function search(answer: LoopbackAnswer, args: JsonObject = {}, service: SearchService = 'brave') {
  await using server = await startLoopbackServer(() => answer);
  await using web = open(server, service);
  return await runTool(toolOf(web), { query: 'x', ...args }, { policy: { maxToolRetries: 0 } });
}

test('a service without pages returns the later results of a longer list', async () => {
  const results = Array.from({ length: 6 }, (_value, index) => ({
    title: `T${index}`,
    url: `https://a.test/${index}`,
    content: '',
  }));
  const { result } = await search({ body: { results } }, { count: 2, page: 2 }, 'tavily');
  expect(result.structured).toMatchObject({ results: [{ title: 'T2' }, { title: 'T3' }] });
});

test('hostile results are bounded, and what cannot be a result is left out', async () => {
  const results = [
    {
      title: 'x'.repeat(5_000_0),
      url: 'https://a.test/',
      description: 'y\n\u202e\u{e0041}\u001b[31m '.repeat(10_000),
      age: ['no'],
    },
    { title: 1, url: 'https://b.test/', description: { toString: 'no' } },
    { title: 'js', url: 'javascript:alert(1)' },
    { title: 'file', url: 'file:///etc/passwd' },
    { title: 'long', url: `https://c.test/${'z'.repeat(5_000)}` },
    { title: 'none' },
    { title: `echo of ${key}`, url: `https://d.test/?k=${encodeURIComponent(key)}`, description: key },
    null,
    'text',
    ['a'],
  ];
  const { result } = await search({ body: { web: { results } } });
  const { results: read } = result.structured as { readonly results: readonly Record<string, string>[] };
  expect(read.map(({ url }) => url)).toEqual(['https://a.test/', 'https://b.test/', 'https://d.test/?k=***']);
  expect(read[0]?.['title']).toHaveLength(200);
  expect(read[0]?.['snippet']?.length).toBeLessThanOrEqual(1_000);
  expect(read[0]?.['snippet']).toMatch(/^[y ]+$/);
  expect(read[1]).toEqual({ title: '', url: 'https://b.test/', snippet: '' });
  expect(JSON.stringify(result)).not.toContain('account');
});

test.each([
  ['nothing', { body: { web: {} } }, undefined],
  ['another shape', { body: '[1,2]' }, undefined],
  ['a page', { body: '<html>' }, 'E_SEARCH_INVALID'],
  ['a wrong key', { status: 401, body: `The key ${key} is wrong` }, 'E_HTTP_401'],
  ['too many requests', { status: 429, body: '' }, 'E_HTTP_429'],
  [
    'a redirect to another host',
    { status: 302, headers: { location: 'https://evil.test/' }, body: '' },
    'E_FETCH_REFUSED',
  ],
  ['five megabytes', { body: 'x'.repeat(5_000_000) }, 'E_FETCH_TOO_LARGE'],
  ['a broken connection', { body: ['{"web"'], breaks: true }, 'E_FETCH_FAILED'],
] as const)('%s', async (_name, answer, code) => {
  const { result } = await search(answer);
  expect(result.error?.code).toBe(code);
  if (code === undefined) expect(result.text).toBe('Nothing was found.');
  expect(JSON.stringify(result)).not.toContain('account');
});

test.each([
  {},
  { query: '' },
  { query: '  ' },
  { query: 5 },
  { query: 'x'.repeat(401) },
  { query: 'x', count: 0 },
  { query: 'x', count: 21 },
  { query: 'x', language: 'english' },
])('wrong arguments %j are refused', async (args) => {
  await using web = openWeb({ search: { service: 'brave', key }, clock: systemClock });
  expect((await runTool(toolOf(web), args as JsonObject)).result.error?.code).toBe('E_ARGUMENTS_INVALID');
});

test('a call that is cancelled leaves the service', async () => {
  await using server = await startLoopbackServer(() => ({ body: ['{'], hangs: true }));
  await using web = open(server, 'brave');
  const controller = new AbortController();
  const call = runTool(toolOf(web), { query: 'x' }, { signal: controller.signal });
  await expect.poll(() => server.requests.length).toBe(1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'E_CANCELLED' });
  await expect.poll(() => server.abandoned).toBe(1);
});

test.each([
  [{ service: 'searxng' }, /search\.url is missing/],
  [{ service: 'brave' }, /search\.key is missing/],
  [{ service: 'tavily', key: '' }, /search\.key is missing/],
  [{ service: 'google', key }, /search\.engine is missing/],
  [{ service: 'searxng', url: 'search' }, /search\.url is not an address/],
] as const)('%j is refused', (options, message) => {
  expect(() => openWeb({ search: options, clock: systemClock })).toThrowError(message);
});

test('web_search is offered with a service only', async () => {
  const context = { baseDir: '/', clock: systemClock, logger: createMemoryLogger() };
  const namesOf = async (options: Parameters<typeof plugin.create>[0]): Promise<string[]> => {
    const source = await plugin.create(options, context);
    await using opened = await source.open({ signal: new AbortController().signal, onChange: () => {} });
    return opened.content().tools.map(({ name }) => name);
  };
  expect(await namesOf({})).toEqual(['web_fetch']);
  expect(await namesOf({ search: { service: 'brave', key } })).toEqual(['web_fetch', 'web_search']);
  await expect(namesOf({ tools: ['web_search'] })).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
});
