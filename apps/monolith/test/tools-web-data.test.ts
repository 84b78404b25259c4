import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pdfLines, pdfOf, startLoopbackServer } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { startServer } from './support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const database = new DatabaseSync(join(folder, 'shop.db'));
database.exec(
  `CREATE TABLE items AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i FROM n`,
);
database.close();
writeFileSync(join(folder, 'paper.pdf'), pdfOf([pdfLines('Forty two items were sold')], { title: 'Report' }));

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');

test('tools of the web and of data pass the policy, with artifacts', async () => {
  await using site = await startLoopbackServer(({ path }) => {
    if (path.startsWith('/search')) {
      return { body: { results: [{ title: 'A page', url: `${site.url}/page`, content: 'About cats' }] } };
    }
    if (path === '/v1/images/generations') return { body: { data: [{ b64_json: png.toString('base64') }] } };
    return {
      body: `<title>Cats</title><p>${'Cats sleep. '.repeat(5_000)}</p>`,
      headers: { 'content-type': 'text/html' },
    };
  });
  const { host } = new URL(site.url);
  const toolSource = [
    {
      use: '@ravi/tools-web',
      allowPrivateAddresses: true,
      allowHosts: [host],
      search: { service: 'searxng', url: site.url, allowPrivateAddresses: true },
    },
    {
      use: '@ravi/tools-data',
      root: folder,
      connections: { shop: { sqlite: join(folder, 'shop.db'), write: true } },
      images: {
        service: 'openai',
        model: 'painter',
        key: { $env: 'PAINTER_KEY' },
        url: `${site.url}/v1`,
        allowPrivateAddresses: true,
      },
    },
    { use: '@ravi/tools-data', name: 'more', tools: ['calculator'], prefix: 'exact_' },
  ];
  await using server = await startServer(
    { plugins: { toolSource } },
    {},
    { env: { PAINTER_KEY: 'the-key-of-the-painter' } },
  );

  const { body } = await server.get('/v1/tools');
  const risks = Object.fromEntries(
    (body.items as { readonly name: string; readonly risk?: string }[]).map(({ name, risk }) => [name, risk]),
  );
  for (const name of [
    'web_fetch',
    'web_search',
    'pdf_read',
    'calculator',
    'sql_query',
    'image_gen',
    'exact_calculator',
  ]) {
    assert.equal(risks[name], 'safe', name);
  }

  const script = `
    const { results } = await tools.web_search({ query: 'cats' });
    const page = await tools.web_fetch({ url: results[0].url, limit: 11 });
    const elsewhere = await tools.web_fetch.safe({ url: 'https://example.com/?data=' + page.title });
    const inside = await tools.web_fetch.safe({ url: 'http://169.254.169.254/latest/meta-data/' });
    const { pages } = await tools.pdf_read({ path: 'paper.pdf' });
    const { rows, rowCount, artifact } = await tools.sql_query({ connection: 'shop', sql: 'SELECT i FROM items ORDER BY i', limit: 2 });
    const change = await tools.sql_query.safe({ connection: 'shop', sql: 'DELETE FROM items', write: true });
    const hidden = await tools.sql_query.safe({ connection: 'shop', sql: 'DELETE FROM items' });
    const outside = await tools.pdf_read.safe({ path: '../../etc/passwd' });
    const { result } = await tools.exact_calculator({ expression: '0.1 + 0.2' });
    const picture = await tools.image_gen({ prompt: 'A cat' });
    return { text: page.text, total: page.totalChars, pages, rows, rowCount, hasArtifact: artifact !== undefined, result,
      picture: picture.mediaType,
      codes: [elsewhere, inside, change, hidden, outside].map((call) => call.error.code) };`;
  const { body: run } = await server.chain(script, { maxScriptCalls: 50 });
  assert.deepEqual(
    run.value,
    {
      text: 'Cats sleep.',
      total: 59_999,
      pages: [{ number: 1, text: 'Forty two items were sold' }],
      rows: [{ i: 1 }, { i: 2 }],
      rowCount: 500,
      hasArtifact: true,
      result: '0.3',
      picture: 'image/png',
      codes: ['E_APPROVAL_DENIED', 'E_APPROVAL_DENIED', 'E_APPROVAL_DENIED', 'E_SQL_REFUSED', 'E_PATH_OUTSIDE'],
    },
    JSON.stringify(run),
  );
  assert.ok(!JSON.stringify(run).includes('the-key-of-the-painter'));
});

test('an approved call reaches a host that is not allowed, and changes a database', async () => {
  await using site = await startLoopbackServer(() => ({ body: 'plain', headers: { 'content-type': 'text/plain' } }));
  const approvalHandler = { use: '@ravi/approval-auto', rules: [{ decision: 'approved' }] };
  const toolSource = [
    { use: '@ravi/tools-web', tools: ['web_fetch'], allowPrivateAddresses: true },
    {
      use: '@ravi/tools-data',
      tools: ['sql_query'],
      connections: { shop: { sqlite: join(folder, 'shop.db'), write: true } },
    },
  ];
  await using server = await startServer({ plugins: { toolSource, approvalHandler } });
  const fetched = await server.post('/v1/tools/web_fetch', { args: { url: `${site.url}/a` } });
  assert.equal(fetched.body.structured.text, 'plain');
  const sql = 'DELETE FROM items WHERE i > 400';
  const removed = await server.post('/v1/tools/sql_query', { args: { connection: 'shop', sql, write: true } });
  assert.equal(removed.body.structured.changed, 100);
  // Approval does not open private networks.
  const inside = await server.post('/v1/tools/web_fetch', { args: { url: 'http://169.254.169.254/' } });
  assert.equal(inside.body.error.code, 'E_FETCH_REFUSED');
});

test('a page that was stored as an artifact is read by another tool of the same run', async () => {
  const paper = pdfOf([pdfLines('Read from an artifact')]);
  await using site = await startLoopbackServer(() => ({
    body: [Buffer.from(paper).toString('latin1')],
    headers: { 'content-type': 'application/x-report' },
  }));
  const { host } = new URL(site.url);
  const toolSource = [
    { use: '@ravi/tools-web', tools: ['web_fetch'], allowPrivateAddresses: true, allowHosts: [host] },
    { use: '@ravi/tools-data', root: folder, tools: ['pdf_read'] },
  ];
  await using server = await startServer({ plugins: { toolSource } });
  const script = `
    const { artifact } = await tools.web_fetch({ url: '${site.url}/report' });
    const { pages } = await tools.pdf_read({ artifact });
    return pages[0].text;`;
  const { body } = await server.chain(script);
  assert.equal(body.value, 'Read from an artifact', JSON.stringify(body));
});

test('options that do not fit are errors of the configuration', async () => {
  for (const [source, message] of [
    [{ use: '@ravi/tools-web', tools: ['web_serch'] }, /tools/],
    [{ use: '@ravi/tools-web', allowHosts: ['https://example.com'] }, /is not a host/],
    [{ use: '@ravi/tools-data', connections: { a: {} } }, /needs one of/],
  ] as const) {
    await assert.rejects(async () => {
      await using _server = await startServer({ plugins: { toolSource: [source] } });
    }, message);
  }
});
