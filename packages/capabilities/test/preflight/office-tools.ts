import { defineTool } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';

const text = { type: 'string' };
const whole = { type: 'integer' };
const texts = { type: 'array', items: text };

function object(properties: JsonObject, required: readonly string[] = [], closed = false): JsonObject {
  const others = closed ? { additionalProperties: false } : {};
  return { type: 'object', properties, required: [...required], ...others };
}

const orders = Array.from({ length: 12 }, (_, index) => ({
  id: index + 1,
  customer: `customer-${index % 3}`,
  status: index % 4 === 0 ? 'open' : 'shipped',
  cents: 1_000 + index * 250,
  placed_at: `2026-03-${String(index + 1).padStart(2, '0')}T10:00:00Z`,
  items: [{ sku: `SKU-${index}`, quantity: (index % 3) + 1 }],
}));

const issues = Array.from({ length: 5 }, (_, index) => ({
  number: 100 + index,
  title: `Crash number ${index}`,
  state: index % 2 === 0 ? 'open' : 'closed',
  user: { login: index % 2 === 0 ? 'ada' : 'grace' },
  labels: index === 0 ? [{ name: 'bug' }] : [],
  created_at: '2026-01-05T08:00:00Z',
}));

/** Typical tools of servers and hosts: with strict, loose or no output schemas. */
export const officeTools: readonly Tool[] = [
  defineTool({
    name: 'get_weather',
    description: 'Weather of a city.',
    inputSchema: object({ city: text, unit: { enum: ['C', 'F'] } }, ['city']),
    outputSchema: object(
      {
        city: text,
        degrees: { type: 'number' },
        conditions: { enum: ['sun', 'rain', 'snow'] },
        wind_kph: { type: 'number' },
      },
      ['city', 'degrees', 'conditions'],
    ),
    execute: ({ city }) => ({ city: city as string, degrees: 21, conditions: 'sun', wind_kph: 12 }),
  }),
  defineTool({
    name: 'list_orders',
    description: 'Orders, all of them or those of a customer.',
    inputSchema: object({ customer: text, status: { enum: ['open', 'shipped'] }, limit: whole }, [], true),
    outputSchema: {
      type: 'array',
      items: object(
        {
          id: whole,
          customer: text,
          status: text,
          cents: whole,
          placed_at: { type: 'string', format: 'date-time' },
          items: { type: 'array', items: object({ sku: text, quantity: whole }, ['sku', 'quantity']) },
        },
        ['id', 'customer', 'status', 'cents', 'placed_at', 'items'],
      ),
    },
    execute: ({ customer, limit }) =>
      orders.filter((order) => customer === undefined || order.customer === customer).slice(0, limit as number),
  }),
  defineTool({
    name: 'refund_order',
    description: 'Gives money back.',
    inputSchema: object({ id: whole, cents: { type: 'integer', minimum: 1 }, reason: text }, ['id', 'cents'], true),
    outputSchema: object({ id: whole, refunded: whole }, ['id', 'refunded'], true),
    execute: ({ id, cents }) => ({ id: Number(id), refunded: Number(cents) }),
  }),
  defineTool({
    name: 'search_issues',
    description: 'Searches issues.',
    inputSchema: object(
      { query: text, state: { enum: ['open', 'closed', 'all'] }, labels: texts, per_page: whole },
      ['query'],
      true,
    ),
    outputSchema: object(
      {
        total_count: whole,
        items: {
          type: 'array',
          items: object(
            {
              number: whole,
              title: text,
              state: { enum: ['open', 'closed'] },
              user: object({ login: text }, ['login'], true),
              labels: { type: 'array', items: object({ name: text }, ['name'], true) },
              created_at: text,
            },
            ['number', 'title', 'state', 'user', 'labels', 'created_at'],
            true,
          ),
        },
      },
      ['total_count', 'items'],
      true,
    ),
    execute: () => ({ total_count: issues.length, items: issues }),
  }),
  defineTool({
    name: 'github.create_issue',
    description: 'Opens an issue.',
    inputSchema: object({ owner: text, repo: text, title: text, body: text, labels: texts }, [
      'owner',
      'repo',
      'title',
    ]),
    execute: ({ title }) => ({ number: 501, title: title as string, html_url: 'https://example.test/501' }),
  }),
  defineTool({
    name: 'read_file',
    description: 'Reads a text file.',
    inputSchema: object({ path: text, encoding: text }, ['path']),
    execute: ({ path }) =>
      (path as string).endsWith('.csv') ? 'name,amount\nada,3\ngrace,4\nada,5\n' : '{"limits":{"daily":10}}',
  }),
  defineTool({
    name: 'write_file',
    description: 'Writes a text file.',
    inputSchema: object({ path: text, content: text }, ['path', 'content']),
    outputSchema: object({ bytes: whole }, ['bytes']),
    execute: ({ content }) => ({ bytes: (content as string).length }),
  }),
  defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    inputSchema: object(
      {
        to: texts,
        subject: text,
        body: { type: ['string', 'null'] },
        options: object({ priority: { enum: ['low', 'normal', 'high'] }, tags: texts, send_at: text }, [], true),
      },
      ['to', 'subject'],
      true,
    ),
    execute: () => 'sent',
  }),
  defineTool({
    name: 'query_database',
    description: 'Runs a query.',
    inputSchema: object({ sql: text, params: { type: 'array' } }, ['sql']),
    outputSchema: object(
      { rows: { type: 'array', items: { type: 'object', additionalProperties: true } }, row_count: whole },
      ['rows', 'row_count'],
    ),
    execute: () => ({ rows: [{ name: 'ada', total: 8 }], row_count: 1 }),
  }),
  defineTool({
    name: 'get_time',
    description: 'The time.',
    inputSchema: object({ zone: text }),
    outputSchema: object({ iso: text, unix: { type: 'number' } }, ['iso', 'unix']),
    execute: () => ({ iso: '2026-03-01T00:00:00Z', unix: 1_772_323_200 }),
  }),
  defineTool({
    name: 'download',
    description: 'Loads a page; large pages stay outside.',
    inputSchema: object({ url: text }, ['url']),
    outputSchema: { type: 'string' },
    execute: ({ url }) => ((url as string).includes('large') ? 'line\n'.repeat(400_000) : '<html>small</html>'),
  }),
];
