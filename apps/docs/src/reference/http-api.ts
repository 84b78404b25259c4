import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonSchema } from '@ravi/kernel';
import { openMonolith, serve } from '@ravi/monolith';
import { meaningOf, schemaHead, schemaRows, typeOf } from './schema-rows.ts';
import { table } from './table.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: JsonSchema;
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly security?: readonly unknown[];
  readonly 'x-role'?: string;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const introduction = `# HTTP API

Every operation of the reference server, from the OpenAPI document that it gives at \`GET /v1/openapi.json\`. The schemas
there are the ones that check the requests: an unknown key or parameter is refused.

- A caller is \`Authorization: Bearer <token>\` or the cookie of \`POST /v1/session\`. Without \`server.tokens\` everybody on
  this machine is the caller \`local\` with every role.
- What the invoker says, refusals included, is a result with status 200. What HTTP refuses is
  \`{ "error": { "code", "message" } }\` with the status that [the errors](errors.md#http) name.
- Lists answer \`{ "items": […], "next": "<cursor>" }\`; \`next\` is missing on the last page.
- Streams are server-sent events; \`Last-Event-ID\` goes on after an event.
- The questions of the inbox, \`/v1/approvals\`, are described in
  [\`@ravi/approval-web\`](../../packages/approvals/web/README.md).`;

/** The page about the HTTP API. */
export async function httpApiPage(): Promise<string> {
  const paths = await readPaths();
  const areas = Map.groupBy(Object.keys(paths).toSorted(), areaOf);
  const sections = [...areas].map(([area, addresses]) => {
    const operations = addresses.flatMap((path) =>
      Object.entries(paths[path] ?? {}).map(([method, operation]) => describe(method, path, operation)),
    );
    return [`## ${area}`, ...operations].join('\n\n');
  });
  return [introduction, ...sections].join('\n\n');
}

/** The document of a server that has what one has by itself. */
async function readPaths(): Promise<Paths> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-docs-'));
  try {
    await using monolith = await openMonolith({ cwd: folder, env: { RAVI_DATA: folder }, isServer: true });
    await using server = await serve(monolith, { port: 0, graceMs: 0 });
    const answer = await fetch(`${server.url}/v1/openapi.json`);
    const document = (await answer.json()) as { readonly paths: Paths };
    return document.paths;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function areaOf(path: string): string {
  const [, area] = /^\/v1\/([a-z]+)/.exec(path) ?? [];
  if (area === undefined || path === '/v1/openapi.json' || area === 'settings') return 'Server';
  return `${area.charAt(0).toUpperCase()}${area.slice(1)}`;
}

function describe(method: string, path: string, operation: Operation): string {
  const { summary, parameters = [], requestBody, security, 'x-role': role } = operation;
  const access = role === undefined ? (security?.length === 0 ? 'Anybody.' : '') : `Role \`${role}\`.`;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const queryRows = query.map(({ name, schema }) => [`\`?${name}\``, typeOf(schema), '', meaningOf(schema)]);
  const body = requestBody?.content['application/json']?.schema;
  const rows = [...queryRows, ...(body === undefined ? [] : schemaRows(body))];
  return [
    `### \`${method.toUpperCase()} ${path}\``,
    [summary, access].filter(Boolean).join(' '),
    ...(rows.length === 0 ? [] : [table(schemaHead, rows)]),
  ].join('\n\n');
}
