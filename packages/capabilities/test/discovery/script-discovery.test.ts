import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, expect, test } from 'vitest';
import { Toolbox } from '@ravi/invoker';
import { runChain } from '../../src/index.ts';
import { createScriptDiscovery, maxScriptQuestions } from '../../src/discovery/script-discovery.ts';
import { createHarness, freeTool } from '../chain/harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

const mail = {
  ...freeTool('send_mail', () => 'sent'),
  description: 'Sends a mail.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
};
const paints = Array.from({ length: 15 }, (_, number) => freeTool(`paint_${number}`, () => ''));
const direct = freeTool('direct_mail', () => '', { allowedCallers: ['direct'] });
const harness = createHarness(sandbox, [mail, direct, ...paints]);

test('a script finds tools by what they do and reads their declaration, at no cost', async () => {
  const result = await harness.run(
    `const found = await tools.search('send a mail');
     const [{ name }] = found.tools;
     return { found, summary: await tools.describe(name, 'summary'), full: await tools.describe(name), value: await tools[name]({ to: 'ada' }) };`,
    { maxScriptCalls: 1 },
  );
  expect(result.value).toEqual({
    found: {
      showing: '1 of 1',
      total: 1,
      page: 1,
      pages: 1,
      tools: [{ name: 'send_mail', parameters: 'to', description: 'Sends a mail.' }],
    },
    summary: 'send_mail(to): Sends a mail.',
    full: expect.stringContaining('send_mail: ToolFunction<{\n    to: string;') as string,
    value: 'sent',
  });
  expect(result.callTrace.map(({ tool }) => tool)).toEqual(['send_mail']);
});

test('results come in pages of the requested size', async () => {
  const result = await harness.run(`return (await tools.search('paint_*', { limit: 10, page: 2 })).showing`);
  expect(result.value).toBe('11-15 of 15');
});

test('named arguments work too', async () => {
  const result = await harness.run(`
    const { tools: [only], pages } = await tools.search({ query: 'paint_*', limit: 1 });
    return [pages, only.name, await tools.describe({ name: only.name, detail: 'name' }), await tools.describe('paint_1', { detail: 'name' })]`);
  expect(result.value).toEqual([15, 'paint_0', 'paint_0', 'paint_1']);
});

test('tools that the session may not call are not found', async () => {
  const result = await runChain({
    code: `return [(await tools.search('')).total, await tools.describe('send_mail').catch((error) => [error.name, error.code, error.message])]`,
    invoker: harness.invoker,
    sandbox,
    session: { allowedTools: ['paint_1'] },
  });
  expect(result.value).toEqual([
    1,
    ['ToolError', 'E_TOOL_UNKNOWN', 'There is no tool named "send_mail". Search for it by what it does'],
  ]);
});

test('tools that only the model may call are not found either', async () => {
  expect((await harness.run(`return (await tools.search('mail')).tools.map(({ name }) => name)`)).value).toEqual([
    'send_mail',
  ]);
});

test('a tool named search or describe takes precedence; with a leading $ both still search and describe', async () => {
  const named = createHarness(sandbox, [mail, freeTool('search', (args) => args), freeTool('describe', () => 'mine')]);
  const result = await named.run(`return [
    await tools.search({ query: 'mail' }),
    await tools.search.safe({ a: 1 }).then((result) => result.value),
    await tools.describe(),
    await tools.search('mail').catch((error) => [error.code, error.message]),
    (await tools.$search('mail')).total,
    (await tools.$search({ query: 'mail' })).total,
    await tools.$describe('send_mail', 'name'),
  ]`);
  expect(result.value).toEqual([
    { query: 'mail' },
    { a: 1 },
    'mine',
    [
      'E_TOOL_NAME_CONFLICT',
      'tools.search is a tool of this installation and takes one object of named arguments; to find tools, call tools.$search',
    ],
    1,
    1,
    'send_mail',
  ]);
});

test.each([
  [`tools.search('x', { limit: 0 })`, 'E_ARGUMENTS_INVALID', 'tools.search: limit must be a whole number from 1'],
  [`tools.search('x', { page: 1.5 })`, 'E_ARGUMENTS_INVALID', 'tools.search: page must be a whole number from 1'],
  [`tools.search({ query: [] })`, 'E_ARGUMENTS_INVALID', 'tools.search: query must be text'],
  [`tools.describe('x', 'all')`, 'E_ARGUMENTS_INVALID', 'tools.describe: detail must be "name", "summary" or "full"'],
  [`tools.$describe({})`, 'E_ARGUMENTS_INVALID', 'tools.$describe: name must be text'],
  [
    `tools.search('x'.repeat(1e5))`,
    'E_ARGUMENTS_INVALID',
    'The arguments of tools.search and tools.describe may have at most 16384 characters',
  ],
  [`tools.describe('paint')`, 'E_TOOL_UNKNOWN', /There is no tool named "paint"\. Did you mean paint_0 or/],
])('%s is refused with a message', async (call, code, message) => {
  const { value } = await harness.run(`return ${call}.catch((error) => [error.code, error.message])`);
  expect(value).toEqual([code, typeof message === 'string' ? message : expect.stringMatching(message)]);
});

test('a script with too many questions is refused, and may continue', async () => {
  const result = await harness.run(`
    const asked = await Promise.allSettled(Array.from({ length: ${maxScriptQuestions + 10} }, () => tools.search('mail')));
    const failed = asked.filter(({ status }) => status === 'rejected');
    return [failed.length, failed[0].reason.code, await tools.send_mail({ to: 'ada' })]`);
  expect(result.value).toEqual([10, 'E_LIMIT_CALLS', 'sent']);
});

test('questions that wait when the session ends are cancelled', async () => {
  const registry = new Toolbox([mail]);
  const controller = new AbortController();
  const session = { toolsEnabled: true, allows: () => true, signal: controller.signal };
  const discovery = createScriptDiscovery(registry, session);
  const waiting = [discovery.ask('search', '{}'), discovery.ask('describe', '{"name":"send_mail"}')];
  controller.abort();
  for (const answer of waiting) await expect(answer).rejects.toMatchObject({ code: 'E_CANCELLED' });
});

test.each(['', 'null', '[]', '{"query":', '"text"', '5'])('arguments that are %j are refused', async (args) => {
  const session = { toolsEnabled: true, allows: () => true, signal: AbortSignal.any([]) };
  const discovery = createScriptDiscovery(new Toolbox([mail]), session);
  await expect(discovery.ask('search', args)).rejects.toMatchObject({ code: 'E_ARGUMENTS_INVALID' });
});

test('the event loop has a turn between two questions', async () => {
  const session = { toolsEnabled: true, allows: () => true, signal: AbortSignal.any([]) };
  const discovery = createScriptDiscovery(new Toolbox([mail]), session);
  let answered = 0;
  const asked = Array.from({ length: 5 }, () => discovery.ask('search', '{}').then(() => answered++));
  let turns = 0;
  for (; answered < asked.length; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(turns).toBeGreaterThanOrEqual(asked.length);
});

test('a script that tampers with built-ins can still search', async () => {
  const result = await harness.run(`
    Array.prototype[Symbol.iterator] = () => { throw new Error('taken') };
    Object.prototype.toJSON = () => ({ query: 'x' });
    JSON.stringify = () => '{}';
    String.prototype.slice = () => { throw new Error('taken') };
    return (await tools.$search('mail')).total`);
  expect(result.value).toBe(1);
});
