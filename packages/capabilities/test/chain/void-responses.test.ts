import { ReActAgent } from '@ravi/agents';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { Tool } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createScriptedModel } from '@ravi/testkit';
import { afterAll, expect, test } from 'vitest';
import { createSnippetTool, createToolChainTool } from '../../src/index.ts';
import { definitionDigest } from '../../src/declarations/tool-declarations.ts';
import { freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

test.each(['tool_chain', 'saved'])('a script in a void response, called as %s, makes no call', async (name) => {
  const sent: unknown[] = [];
  const code = 'return tools.mail({})';
  const registry = new Toolbox([freeTool('mail', (args) => (sent.push(args), 'sent'), { risk: 'high' })]);
  const invoker = new ToolInvoker({ registry, policy: { maxRiskUnapproved: 'high' } });
  registry.add(createToolChainTool({ invoker, sandbox }));
  const tools = [{ name: 'mail', digest: definitionDigest(registry.get('mail') as Tool) }];
  const made = { version: 1, principal: 'local', createdAt: 0, sourceRunId: 'run_1', language: 'javascript' } as const;
  const snippet = { name: 'saved', description: 'Sends a mail.', code, tools, ...made };
  registry.add(createSnippetTool(snippet, { invoker, sandbox }));
  const toolCalls = [{ name, arguments: name === 'saved' ? {} : { code } }];
  const error = { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true };
  const model = createScriptedModel([{ toolCalls, error }, { toolCalls }, { text: 'ok' }]);
  expect((await new ReActAgent({ name: 'clerk', model, invoker }).run('go')).status).toBe('completed');
  expect(sent).toHaveLength(1);
});
