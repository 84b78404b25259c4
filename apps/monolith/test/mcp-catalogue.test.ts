import assert from 'node:assert/strict';
import { serveHttp } from '@ravi/mcp-testing';
import { toolNameOf } from '@ravi/source-kit';
import { encode } from 'gpt-tokenizer';
import { test } from 'vitest';
import { catalogue, catalogueMissing } from './support/mcp/catalogue.ts';
import { catalogueQueries, unseenQueries } from './support/mcp/catalogue-queries.ts';
import { startServer } from './support/server.ts';

const queries = [...catalogueQueries, ...unseenQueries];

// The description of the right tool shares only the word "slide" with this request; the tool comes fourth.
const outOfReach = 'draw a rectangle on a slide';

test.skipIf(catalogueMissing)(
  '500 tools of a server take at most 2,500 tokens, and a search finds the right one among the first three for 99 of 100 requests (skipped: their file not found)',
  async () => {
    const tools = catalogue(new Set(queries.flatMap(([, expected]) => expected)));
    assert.equal(tools.length, 500);
    await using hub = await serveHttp({ tools: () => tools });
    await using server = await startServer({
      plugins: { toolSource: [{ use: '@ravi/mcp', name: 'hub', url: hub.url, allowPrivateAddresses: true }] as never },
    });
    const { body } = await server.get('/v1/tools');
    const items = body.items as readonly {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: object;
    }[];
    const offered = items.filter(({ name }) => name.startsWith('hub__')).map(({ name }) => name);
    assert.equal(offered.length, 500);
    assert.equal(new Set(offered).size, 500);
    for (const name of offered) assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/);

    const chain = items.find(({ name }) => name === 'tool_chain');
    assert.ok(chain);
    const prompt = JSON.stringify({ name: chain.name, description: chain.description, inputSchema: chain.inputSchema });
    assert.ok(encode(prompt).length <= 2_500, `${encode(prompt).length} tokens`);

    const script = `
      const found = [];
      for (const query of ${JSON.stringify(queries.map(([query]) => query))})
        found.push((await tools.search(query, { limit: 3 })).tools.map((tool) => tool.name));
      return found;`;
    const { body: run } = await server.chain(script);
    const found = run.value as readonly (readonly string[])[];
    assert.equal(found?.length, queries.length, JSON.stringify(run).slice(0, 500));
    const misses = queries.flatMap(([query, expected], index) => {
      const names = expected.map((own) => toolNameOf('hub', own));
      return found[index]?.some((name) => names.includes(name)) === true ? [] : [{ query, names, found: found[index] }];
    });
    const unexpected = misses.filter(({ query }) => query !== outOfReach);
    assert.deepEqual(unexpected, []);
  },
  60_000,
);
