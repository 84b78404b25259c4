import { operations } from '@ravi/api';
import type { api, NamedOperation, Operation } from '@ravi/api';
import { meaningOf, schemaHead, schemaRows, typeOf } from './schema-rows.ts';
import { table } from './table.ts';

const introduction = `# HTTP API

Every operation of the server, from the table in [\`@ravi/api\`](../../packages/api/README.md). The server checks requests
against the same schemas and refuses an unknown key or parameter. \`GET /v1/openapi.json\` is the OpenAPI document, with the
schemas of all responses and events; [\`@ravi/client\`](../../packages/client/README.md) has a typed method for each
operation, named here after each path.

- Authenticate with \`Authorization: Bearer <token>\` or with the cookie of \`POST /v1/session\`. Without \`server.tokens\`
  every request from this machine has the principal \`local\` and all roles.
- Results of the invoker, denied calls included, have status 200. A refused request has a body
  \`{ "error": { "code", "message" } }\` and the status that [the errors](errors.md#http) list.
- Lists respond with \`{ "items": […], "next": "<cursor>" }\`; the last page has no \`next\`.
- Streams are server-sent events. Send \`Last-Event-ID\` to resume after an event.`;

const titles: Readonly<Record<keyof typeof api, string>> = {
  server: 'Server',
  processes: 'Processes',
  queue: 'Queue',
  login: 'Sign-in',
  agents: 'Agents',
  runs: 'Runs',
  chains: 'Scripts',
  snippets: 'Snippets',
  tools: 'Tools',
  sources: 'Tool sources',
  skills: 'Skills',
  workspaces: 'Workspaces',
  approvals: 'Approvals',
  completions: 'Results from outside',
  artifacts: 'Artifacts',
  jobs: 'Jobs',
  triggers: 'Triggers',
  conversations: 'Conversations',
  channels: 'Channels',
  memories: 'Memories',
  budgets: 'Budgets',
  responses: 'OpenAI Responses',
};

/** Returns the page about the HTTP API. */
export async function httpApiPage(): Promise<string> {
  const sections = Object.entries(titles).map(([group, title]) => {
    const members = operations.filter(({ id }) => id.startsWith(`${group}.`));
    return [`## ${title}`, ...members.map(describe)].join('\n\n');
  });
  return [introduction, ...sections].join('\n\n');
}

function describe({ id, operation }: NamedOperation): string {
  const { method, path, summary, query, body, errors } = operation;
  const parameters = Object.entries(query?.properties ?? {});
  const queryRows = parameters.map(([name, schema]) => [`\`?${name}\``, typeOf(schema), '', meaningOf(schema)]);
  const rows = [...queryRows, ...(body === undefined ? [] : schemaRows(body))];
  const codes = errors.map((code) => `\`${code}\``).join(', ');
  return [
    `### \`${method.toUpperCase()} ${path}\``,
    [`\`client.${id}\`.`, summary, accessOf(operation)].filter(Boolean).join(' '),
    ...(rows.length === 0 ? [] : [table(schemaHead, rows)]),
    ...(codes === '' ? [] : [`Errors: ${codes}.`]),
  ].join('\n\n');
}

function accessOf({ isOpen, role }: Operation): string {
  if (isOpen === true) return 'No authentication.';
  return role === undefined ? '' : `Role \`${role}\`.`;
}
