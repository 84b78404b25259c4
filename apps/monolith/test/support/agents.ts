import type { RaviConfig } from '@ravi/host';
import type { TestInstallation } from './installation.ts';
import { installSubAgents } from './sub-agents.ts';

/** A model that refuses calls for the moon when it judges, and otherwise makes the calls of its task, as in `sub-agents.ts`. */
const judgingModel = `
import { provider as calling } from './model.mjs';
async function* stream(request, options) {
  const text = request.messages[0].content[0].text;
  if (!text.startsWith('Another agent')) return yield* calling.stream(request, options);
  const { arguments: args } = JSON.parse(text.split('\\n').at(-1));
  const allow = args.target !== 'moon';
  yield { type: 'block', block: { type: 'text', text: JSON.stringify({ allow, reason: allow ? '' : 'not the moon' }) } };
  yield { type: 'finish', reason: 'end', usage: { inputTokens: 5, outputTokens: 5 } };
}
const create = () => ({ id: 'judging', model: 'wise', stream });
export default { name: 'judging', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/**
 * Writes an installation with agents in its configuration: `ravi` may only write scripts and delegate, its delegate `pilot` may
 * launch and ask, and `judge` refuses calls for the moon. `files` adds files.
 */
export function installAgents(
  config: RaviConfig = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestInstallation> {
  const { plugins, agent, agents, ...rest } = config;
  return installSubAgents(
    {
      agent: { tools: { allow: ['tool_chain'] }, delegates: ['pilot'], ...agent },
      agents: {
        pilot: {
          description: 'Launches things.',
          model: 'calling',
          tools: { allow: ['launch', 'detonate', 'crash', 'ask_user'] },
        },
        judge: { model: 'judging/wise', tools: { allow: [] } },
        ...agents,
      },
      ...rest,
      plugins: { modelProvider: [{ use: './model.mjs' }, { use: './judging.mjs' }], ...plugins },
    },
    { 'judging.mjs': judgingModel, ...files },
  );
}
