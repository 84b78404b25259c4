import { ToolInvoker, Toolbox } from '@ravi/invoker';
import type { SessionOptions } from '@ravi/invoker';
import { expect, test } from 'vitest';
import { createDiscoveryTools } from '../../src/index.ts';
import { freeTool } from '../chain/harness.ts';

function open(session: SessionOptions = {}) {
  const toolbox = new Toolbox([
    {
      ...freeTool('send_mail', () => 'sent', { documentation: () => 'Write politely.' }),
      description: 'Sends a mail. At once.',
      inputSchema: { type: 'object', properties: { to: { type: 'string' }, text: {} }, required: ['to'] },
    },
    freeTool('read_mail', () => '', { deferLoading: true }),
    freeTool('script_mail', () => '', { allowedCallers: ['chain'] }),
    freeTool('nobody_mail', () => '', { allowedCallers: [] }),
    { name: 'hosted_mail', description: 'Mail elsewhere', providerSpecs: {} },
    ...Array.from({ length: 30 }, (_, number) => freeTool(`paint_${String(number).padStart(2, '0')}`, () => '')),
  ]);
  for (const tool of createDiscoveryTools(toolbox)) toolbox.add(tool);
  const invoker = new ToolInvoker({ registry: toolbox });
  const opened = invoker.openSession(session);
  return {
    toolbox,
    call: (name: string, args: unknown, caller: 'direct' | 'chain' = 'direct') =>
      invoker.invoke({ name, args }, { session: opened, caller }),
  };
}

test('a search returns one line per tool, best first, including deferred tools', async () => {
  const { call } = open();
  const { text } = await call('search_tools', { query: 'send a mail' });
  expect(text).toContain('- send_mail(to, text?): Sends a mail.\n');
  expect(text).toContain('- read_mail(): The tool read_mail');
  expect(text.indexOf('send_mail')).toBeLessThan(text.indexOf('read_mail'));
});

test('tools that the session, or any caller, may not call are not found and not described', async () => {
  const { call } = open({ allowedTools: ['read_mail', 'nobody_mail', 'hosted_mail', 'search_tools', 'describe_tool'] });
  const { text } = await call('search_tools', { query: 'mail' });
  expect(text).toBe('Tools 1 of 1\n- read_mail(): The tool read_mail');
  expect(await call('describe_tool', { name: 'send_mail' })).toMatchObject({
    status: 'error',
    error: { code: 'E_TOOL_UNKNOWN', message: 'There is no tool named "send_mail". Did you mean read_mail?' },
  });
});

test('with tools disabled discovery is denied like any call', async () => {
  expect(await open({ toolsEnabled: false }).call('search_tools', { query: '' })).toMatchObject({ status: 'denied' });
});

test('results are paged, and each page reports its range', async () => {
  const { call } = open();
  const first = await call('search_tools', { query: 'paint_*', limit: 12 });
  expect(first.text).toMatch(/^Tools 1-12 of 30; continued on page 2\n- paint_00\(\)/);
  const last = await call('search_tools', { query: 'paint_*', limit: 12, page: 3 });
  expect(last.text).toMatch(/^Tools 25-30 of 30\n- paint_24\(\)/);
  expect((await call('search_tools', { query: 'paint_*', page: 9 })).text).toBe('Tools 0 of 30');
});

test('an empty query lists everything by name', async () => {
  const { call } = open();
  expect((await call('search_tools', { query: '' })).text).toMatch(/^Tools 1-10 of 33; .*\n- paint_00\(\)/);
});

test('a tool is described in three levels of detail', async () => {
  const { call } = open();
  const describe = async (detail?: string) => (await call('describe_tool', { name: 'send_mail', detail })).text;
  expect(await describe('name')).toBe('send_mail');
  expect(await describe('summary')).toBe('send_mail(to, text?): Sends a mail.');
  expect(await describe()).toBe(await describe('full'));
  expect(await describe()).toMatchInlineSnapshot(`
    "declare const tools: {
      /** Sends a mail. At once. */
      send_mail: ToolFunction<{
        to: string;
        text?: unknown;
      }>;
    };

    Write politely."
  `);
});

test('a long declaration comes in parts that stay inline', async () => {
  const { toolbox, call } = open();
  const documentation = (): string => Array.from({ length: 900 }, (_, line) => `line ${line}`).join('\n');
  toolbox.add(freeTool('manual', () => '', { documentation }));
  const parts: string[] = [];
  for (let page = 1; page <= 3; page++) {
    const result = await call('describe_tool', { name: 'manual', page });
    expect(result.artifactRef).toBeUndefined();
    expect(result.text).toMatch(
      new RegExp(`\\n\\(part ${page} of 3${page < 3 ? `; continued on page ${page + 1}` : ''}\\)$`),
    );
    parts.push(result.text.replace(/\n\(part .*$/, ''));
  }
  expect(parts.join('\n')).toContain(documentation());
});

test('documentation that cannot be read hides nothing else', async () => {
  const { toolbox, call } = open();
  const documentation = (): string => {
    throw new Error('no');
  };
  toolbox.add(freeTool('broken', () => '', { documentation }));
  expect((await call('describe_tool', { name: 'broken' })).text).toContain('broken: ToolFunction<');
});

test('scripts do not call them: they have tools.search and tools.describe', async () => {
  const { call } = open();
  expect((await call('search_tools', { query: 'mail' }, 'chain')).error?.code).toBe('E_TOOL_NOT_ALLOWED');
});

test.each([{ query: 'x', limit: 21 }, { query: 'x', page: 0 }, { query: 5 }, {}])(
  'the arguments %j are refused',
  async (args) => {
    expect((await open().call('search_tools', args)).error?.code).toBe('E_ARGUMENTS_INVALID');
  },
);
