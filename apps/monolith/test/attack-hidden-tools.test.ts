import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { openMonolith, serve } from '@ravi/monolith';
import { afterAll, beforeAll, test } from 'vitest';
import { installAgents } from './support/agents.ts';
import { as, secrets, sha256 } from './support/callers.ts';
import { task } from './support/sub-agents.ts';

/** Two names of equal length: the operator hides a tool of the first from the caller, and no tool has the second. */
const hidden = 'detonate';
const unknown = 'detonaxe';

const config: RaviConfig = {
  server: {
    requestsPerMinute: 1_000_000,
    tokens: [{ principal: 'ada', tokenSha256: sha256(secrets.ada), toolRole: 'reader' }],
  },
  toolAccess: { roles: { reader: { deny: [hidden] } } },
};

let url: string;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  const { folder: cwd, configPath } = opened.use(await installAgents(config));
  const monolith = opened.use(await openMonolith({ cwd, configPath, env: {}, isServer: true }));
  ({ url } = opened.use(await serve(monolith, { port: 0, graceMs: 0 })));
});
afterAll(() => opened.disposeAsync());

async function ask(path: string, body?: unknown, { method = 'POST', ...headers }: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json', ...as('ada'), ...headers },
    ...(body === undefined ? {} : { method, body: JSON.stringify(body) }),
  });
  return `${response.status} ${await response.text()}`;
}

/** Returns all that the caller can read of a run. */
async function readRun(body: object): Promise<string> {
  const started = await ask('/v1/runs', body);
  const { id } = JSON.parse(started.slice(4)) as { readonly id: string };
  const parts = [];
  for (const part of ['/events', '', '/exchanges']) parts.push(await ask(`/v1/runs/${id}${part}`));
  return [started, ...parts].join('\n');
}

const check = (code: string, language = 'javascript'): Promise<string> => ask('/v1/chains/check', { code, language });
const script = (code: string, more = {}): Promise<string> => ask('/v1/chains', { code, ...more });

/** Ways to ask whether there is a tool of a name. Each answer has to be the same for both names. */
const questions: Readonly<Record<string, (tool: string) => Promise<string>>> = {
  'a check of a call': (tool) => check(`return await tools.${tool}({ wrong: 1 })`),
  'a check of a bare name': (tool) => check(`return ${tool}({ target: 5 })`),
  'a check of TypeScript': (tool) =>
    check(`const done: number = await tools.${tool}({ target: 5 }); return done`, 'typescript'),
  'a name in a check, in a text': (tool) => check(`return await tools['${tool}']({ wrong: 1 })`),
  'the name of a snippet': (tool) =>
    ask(`/v1/snippets/${tool}`, { code: 'return 1', description: 'One.' }, { method: 'PUT' }),
  'a snippet that calls it': (tool) =>
    ask(
      `/v1/snippets/of_${tool}`,
      { code: `return (await tools.${tool}.safe({})).status`, description: 'Calls.' },
      { method: 'PUT' },
    ),
  'a run of a script': (tool) => readRun({ kind: 'chain', code: `return tools.${tool}({ wrong: 5 })` }),
  'a run of a script that names it in a text': (tool) =>
    readRun({ kind: 'chain', code: `return ['${tool}', typeof tools.${tool}, '${tool}' in tools]` }),
  'a run of an agent': (tool) => readRun({ kind: 'agent', task: task([[tool, { wrong: 5 }]]) }),
  'a script of an agent': (tool) =>
    readRun({ kind: 'agent', task: task([['tool_chain', { code: `return tools.${tool}({ wrong: 5 })` }]]) }),
  'tools that describe': (tool) =>
    readRun({
      kind: 'agent',
      task: task([
        ['describe_tool', { name: tool }],
        ['info', { tool }],
      ]),
    }),
  'a set of calls': (tool) => script(`return tools.${tool}({})`, { approve: 'set' }),
  'a search in a script': (tool) =>
    script(`return [await tools.search('${tool}'), await tools.describe('${tool}').catch(String)]`),
  'a list of tools': (tool) => ask(`/v1/tools?q=${tool}`),
  'a call that is repeated with its key': async (tool) => {
    const call = (): Promise<string> => ask(`/v1/tools/${tool}`, { args: {} }, { 'idempotency-key': `key-${tool}` });
    return `${await call()} ${await call()}`;
  },
};

// Ids, digests and times differ between two equal requests, and only who reads in time gets the progress.
const comparable = (answer: string, tool: string): string =>
  answer
    .replaceAll(tool, 'TOOL')
    .replaceAll(/event: tool-progress\n.*\n\n/g, '')
    .replaceAll(/[\w:-]*[\da-f-]{12,}[\w-]*|\d+(?:\.\d+)?/g, '0');

test.each(Object.entries(questions))(
  '%s does not say that there is a hidden tool',
  { timeout: 60_000 },
  async (_, askFor) => {
    assert.equal(comparable(await askFor(hidden), hidden), comparable(await askFor(unknown), unknown));
  },
);
