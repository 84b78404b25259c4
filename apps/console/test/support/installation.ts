import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './repository.ts';

/** A configuration with tools and a model, in a temporary folder. */
export interface Installation extends AsyncDisposable {
  readonly folder: string;
  readonly configPath: string;
}

const demonstration = join(repository, 'examples/flights-report');
const addressOf = (path: string): string => JSON.stringify(pathToFileURL(join(repository, path)).href);

const config = {
  tools: [join(demonstration, 'tools'), './tools'],
  policy: {
    maxScriptResultBytes: 131_072,
    approvalTimeoutMs: 600_000,
    callTimeoutMs: 660_000,
    totalTimeoutMs: 720_000,
    maxToolCalls: 1_000,
    maxScriptCalls: 1_000,
  },
  approvals: { mode: 'pause' },
  agent: { demoScript: join(demonstration, 'script.ts'), budget: { maxTokens: 100_000, maxToolCalls: 500 } },
  skills: ['./skills'],
  kits: ['./kits', 'ravi:kits'],
  toolSkills: ['./advice'],
  plugins: { modelProvider: [{ use: './model.ts' }] },
};

const launch = `
export default {
  name: 'launch',
  description: 'Launches a rocket.',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { target: { type: 'string' }, crew: { type: 'integer', minimum: 0 } },
    required: ['target'],
    additionalProperties: false,
  },
  classifyRisk: ({ target }) => ({ risk: 'high', summary: 'Launch to ' + target }),
  execute: async ({ target }) => ({ content: [{ type: 'text', text: 'launched to ' + target }], isError: false }),
};
`;

const weigh = `
export default {
  name: 'weigh',
  description: 'Weighs one thing.',
  risk: 'safe',
  inputSchema: { type: 'object', properties: { thing: { type: 'integer' } }, required: ['thing'] },
  execute: async ({ thing }) => ({ content: [], structuredContent: { grams: thing * 10 }, isError: false }),
};
`;

const skill = `---
name: seating
description: Where people like to sit.
version: 1.0.0
allowed-tools: ask_user
---
Ask first.
`;

/** The scripted model of the server, which also asks its user if the task says so. */
const model = `
import { createDemoModel } from ${addressOf('apps/monolith/src/model/demo-model.ts')};
import { readFileSync } from 'node:fs';

const script = readFileSync(${JSON.stringify(join(demonstration, 'script.ts'))}, 'utf8');

export function create() {
  const demo = createDemoModel({ script });
  return {
    ...demo,
    async *stream(request, options) {
      const last = request.messages.at(-1).content;
      const answer = last.find(({ type }) => type === 'tool_result' )?.content[0]?.text ?? '';
      if (last.some(({ type, text = '' }) => type === 'text' && text.startsWith('Let the steward ask'))) {
        const args = { task: 'Ask me where to sit' };
        yield { type: 'block', block: { type: 'tool_use', id: 'steward_' + crypto.randomUUID(), name: 'steward', arguments: args } };
        yield { type: 'finish', reason: 'tool-use', usage: { inputTokens: 110, outputTokens: 20 } };
        return;
      }
      if (last.some(({ type, text = '' }) => type === 'text' && text.startsWith('Ask me'))) {
        const args = { question: 'Which seat do you want?', choices: ['Window', 'Aisle'] };
        yield { type: 'block', block: { type: 'tool_use', id: 'ask_' + crypto.randomUUID(), name: 'ask_user', arguments: args } };
        yield { type: 'finish', reason: 'tool-use', usage: { inputTokens: 120, outputTokens: 30 } };
        return;
      }
      if (/aisle/i.test(answer)) {
        const text = answer === 'Aisle' ? 'The seat at the aisle is yours.' : 'The steward says: ' + answer;
        yield { type: 'block', block: { type: 'text', text } };
        yield { type: 'finish', reason: 'end', usage: { inputTokens: 160, outputTokens: 12 } };
        return;
      }
      yield* demo.stream(request, options);
    },
  };
}

export default { name: 'test-model', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** A sub-agent that asks the user. */
const steward = `
import { askUserTool, createAgentTool, ReActAgent } from ${addressOf('packages/agents/src/index.ts')};
import { create } from '../model.ts';
export default createAgentTool(new ReActAgent({ name: 'steward', model: create(), tools: [askUserTool] }));
`;

const files: Readonly<Record<string, string>> = {
  'model.ts': model,
  'skills/seating/SKILL.md': skill,
  'kits/report.yaml': `name: report
goal: Publish what was found out.
tools:
  - publish_report
  - for: finding data
    any: [open_dataset, "sql.*"]
steps: [Find the data, Publish the report]
`,
  'kits/typo.yaml': 'name: typo\ngoal: Goes nowhere.\ntools:\n  - lunch\nsteps: [Go]\n',
  'kits/broken.yaml': 'name: broken\ngoal: Goes nowhere.\ntools: [launch]\nstep: [Go]\n',
  'advice/launch.yaml': 'tool: launch\nwhen_to_use: After the count-down.\ntips: Look up.\n',
  'tools/launch.mjs': launch,
  'tools/weigh.mjs': weigh,
  'tools/steward.ts': steward,
  'tools/ask_user.ts': `export { askUserTool as default } from ${addressOf('packages/agents/src/index.ts')};`,
};

/**
 * Writes the installation of the tests: the tools of the demonstration, and some that do next to nothing. Keys of `changes`
 * replace those of its configuration, and `more` are further files.
 */
export async function createInstallation(
  changes: object = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-console-server-'));
  const all = { ...files, ...more, 'ravi.config.json': JSON.stringify({ ...config, ...changes }) };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return {
    folder,
    configPath: join(folder, 'ravi.config.json'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
