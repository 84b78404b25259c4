import assert from 'node:assert/strict';
import { isKernelError, isLocalTool, staticRisk } from '@ravi/kernel';
import type { AddToolOptions, HostedTool, ProviderDefinedTool, Tool, ToolRisk } from '@ravi/kernel';
import { createMemoryLogger, createRecordingHooks } from '@ravi/testkit';
import { test } from 'vitest';
import { HookManager, Toolbox } from '../../src/index.ts';
import { recordingTool } from '../support/tools.ts';

const webSearch: HostedTool = {
  name: 'web_search',
  description: 'Searches the web.',
  providerSpecs: {
    'openai/responses': { type: 'web_search_preview' },
    'anthropic/messages': { type: 'web_search_20250305' },
  },
};

const computer: ProviderDefinedTool = {
  name: 'computer',
  description: 'Uses the screen.',
  providerSpecs: { openai: { type: 'computer_use_preview' } },
  callTypes: ['computer_call'],
  risk: 'high',
  handleCall: async () => ({ content: [], isError: false }),
};

function createToolbox(...tools: ConstructorParameters<typeof Toolbox>[0][]) {
  const logger = createMemoryLogger();
  const hooks = new HookManager({ logger });
  const recorded = createRecordingHooks();
  hooks.observe('tool-dropped', recorded.observer);
  return {
    toolbox: new Toolbox(
      tools.flatMap((each) => [...(each ?? [])]),
      { logger, hooks },
    ),
    logger,
    recorded,
  };
}

test('the list of all tools is the same frozen object until the tools change', () => {
  const { toolbox } = createToolbox([recordingTool('a')]);
  const [before, again] = [toolbox.all(), toolbox.all()];
  assert.equal(again, before);
  assert.ok(Object.isFrozen(before));
  toolbox.add(webSearch);
  assert.deepEqual(
    toolbox.all().map((tool) => tool.name),
    ['a', 'web_search'],
  );
  assert.deepEqual(toolbox.remove('a') && toolbox.all().map((tool) => tool.name), ['web_search']);
  assert.equal(before.length, 1);
});

test('tools of all three kinds are found by name and listed in the order in which they were added', () => {
  const { toolbox } = createToolbox([recordingTool('b'), webSearch, computer, recordingTool('a')]);
  assert.deepEqual(toolbox.names(), ['b', 'web_search', 'computer', 'a']);
  assert.deepEqual(
    toolbox.all().map((tool) => tool.name),
    toolbox.names(),
  );
  assert.equal(toolbox.size, 4);
  assert.equal(toolbox.has('a'), true);
  assert.equal(toolbox.has('toString'), false);
  assert.equal(toolbox.get('constructor'), undefined);
});

test('a second tool of the same name and source replaces the first, which is reported', () => {
  const { toolbox, logger } = createToolbox([recordingTool('a', { description: 'first' })]);
  toolbox.add(recordingTool('a', { description: 'last' }));
  assert.equal(toolbox.get('a')?.description, 'last');
  assert.equal(toolbox.size, 1);
  assert.deepEqual(logger.records, [
    { level: 'warn', message: 'tool replaced', fields: { tool: 'a', source: 'local' } },
  ]);
});

test('adding the very same tool again reports nothing', () => {
  const tool = recordingTool('a');
  const { toolbox, logger } = createToolbox([tool]);
  toolbox.add(tool);
  assert.deepEqual(logger.records, []);
});

test('a tool of another source never shadows an existing one, and the error names both', () => {
  const { toolbox } = createToolbox([recordingTool('send', { description: 'ours' })]);
  assert.throws(
    () => toolbox.add(recordingTool('send', { description: 'theirs' }), { source: 'mcp:mail' }),
    (error) => isKernelError(error, 'E_TOOL_NAME_CONFLICT') && /send of mcp:mail .* of local/.test(error.message),
  );
  assert.equal(toolbox.get('send')?.description, 'ours');
  assert.equal(toolbox.sourceOf('send'), 'local');
});

test('a name is free for any source after its tool was removed', () => {
  const { toolbox } = createToolbox([recordingTool('send')]);
  assert.equal(toolbox.remove('send'), true);
  assert.equal(toolbox.remove('send'), false);
  toolbox.add(recordingTool('send'), { source: 'mcp:mail' });
  assert.equal(toolbox.sourceOf('send'), 'mcp:mail');
});

test('a provider gets its own spec of a hosted tool and never that of another provider', () => {
  const { toolbox } = createToolbox([webSearch]);
  assert.deepEqual(toolbox.schemas('anthropic/messages'), [
    { type: 'provider', name: 'web_search', provider: 'anthropic/messages', spec: { type: 'web_search_20250305' } },
  ]);
  assert.equal(toolbox.schemaFor('web_search', 'google'), undefined);
});

test('a tool without a spec for a provider is dropped with one log line and one hook', () => {
  const { toolbox, logger, recorded } = createToolbox([recordingTool('a'), computer]);
  assert.deepEqual(
    toolbox.schemas('anthropic/messages').map((spec) => spec.name),
    ['a'],
  );
  assert.deepEqual(logger.messages('warn'), ['tool not offered to the model: it has no spec for this provider']);
  assert.deepEqual(
    recorded.of('tool-dropped').map(({ tool, provider }) => [tool, provider]),
    [['computer', 'anthropic/messages']],
  );
});

test('a provider id with the name of an inherited property has no spec', () => {
  const { toolbox } = createToolbox([webSearch]);
  assert.deepEqual(toolbox.schemas('constructor'), []);
});

test('the specs of all tools leave out deferred ones', () => {
  const { toolbox } = createToolbox([recordingTool('now'), recordingTool('later', { deferLoading: true })]);
  const names = (specs: readonly { readonly name: string }[]) => specs.map((spec) => spec.name);
  assert.deepEqual(names(toolbox.schemas('openai')), ['now']);
  assert.deepEqual(toolbox.schemaFor('later', 'openai'), {
    type: 'function',
    name: 'later',
    description: 'The tool later.',
    parameters: { type: 'object' },
    lazySchema: true,
  });
  assert.equal(toolbox.schemaFor('unknown', 'openai'), undefined);
});

test('an invalid tool is refused with the reason, and the others stay', () => {
  const { toolbox } = createToolbox([recordingTool('good')]);
  const cyclic: Record<string, unknown> = { type: 'object' };
  cyclic['self'] = cyclic;
  const deep = Array.from({ length: 100_000 }).reduce<object>((inner) => ({ not: inner }), {});
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [{ ...recordingTool('a b') }, /Tool name "a b" must match/],
    [{ ...recordingTool('') }, /Tool name "" must match/],
    [{ ...recordingTool('x'.repeat(65)) }, /must match/],
    [{ ...recordingTool('a'), name: 7 }, /Tool name 7/],
    [{ ...recordingTool('a'), description: undefined }, /Tool a has no description/],
    [{ ...recordingTool('a'), inputSchema: undefined }, /inputSchema must be a JSON Schema object/],
    [{ ...recordingTool('a'), inputSchema: [] }, /inputSchema must be a JSON Schema object/],
    [{ ...recordingTool('a'), inputSchema: cyclic }, /inputSchema is not JSON/],
    [{ ...recordingTool('a'), inputSchema: deep }, /inputSchema is not JSON/],
    [{ ...recordingTool('a'), outputSchema: { default: 1n } }, /outputSchema is not JSON/],
    [{ ...recordingTool('a'), risk: 'low' }, /risk "low"/],
    [{ ...recordingTool('a'), concurrency: 'serial' }, /concurrency/],
    [{ ...recordingTool('a'), concurrency: {} }, /concurrency/],
    [{ ...recordingTool('a'), allowedCallers: 'chain' }, /allowedCallers/],
    [{ ...recordingTool('a'), allowedCallers: ['everyone'] }, /allowedCallers/],
    [{ ...recordingTool('a'), artifacts: 'bytes' }, /artifacts/],
    [{ ...recordingTool('a'), managesOwnTimeout: 'none' }, /managesOwnTimeout/],
    [{ name: 'a', description: 'a' }, /no execute, no handleCall and no providerSpecs/],
    [{ ...computer, callTypes: undefined }, /callTypes/],
    [undefined, /not a tool/],
    ['tool', /not a tool/],
    [{ get name() { throw new Error('boom'); } }, /could not be read/], // prettier-ignore
  ];
  for (const [tool, message] of bad) {
    assert.throws(
      () => toolbox.add(tool as Tool),
      (error) => {
        assert.ok(isKernelError(error, 'E_TOOL_INVALID'), String(error));
        assert.match(error.message, message);
        return true;
      },
    );
  }
  assert.deepEqual(toolbox.names(), ['good']);
});

test('risk, schema and flags are read once: a getter that returns another value later has no effect', () => {
  let reads = 0;
  const shifty: Tool = {
    ...recordingTool('shifty'),
    get risk() {
      return reads++ === 0 ? ('critical' as const) : ('safe' as const);
    },
  };
  const { toolbox } = createToolbox([shifty]);
  const kept = toolbox.get('shifty');
  assert.ok(kept !== undefined && isLocalTool(kept));
  assert.equal(kept.risk, 'critical');
  assert.equal(kept.risk, 'critical');
  assert.ok(Object.isFrozen(kept));
});

test('changing a schema after the tool was added has no effect', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
  const { toolbox } = createToolbox([recordingTool('a', { inputSchema })]);
  inputSchema.properties.a.type = 'number';
  const kept = toolbox.get('a') as Tool;
  assert.deepEqual(kept.inputSchema, { type: 'object', properties: { a: { type: 'string' } } });
  assert.throws(() => {
    (kept.inputSchema as { type: string }).type = 'array';
  }, TypeError);
});

test('methods of a class instance keep their this', async () => {
  class Greeter {
    readonly name = 'greet';
    readonly description = 'Greets.';
    readonly inputSchema = { type: 'object' };
    readonly #greeting = 'hello';
    async execute() {
      return { content: [{ type: 'text' as const, text: this.#greeting }], isError: false };
    }
    documentation() {
      return `says ${this.#greeting}`;
    }
  }
  const { toolbox } = createToolbox([new Greeter()]);
  const kept = toolbox.get('greet') as Tool;
  assert.equal(kept.documentation?.(), 'says hello');
  assert.deepEqual((await kept.execute({}, {} as never)).content, [{ type: 'text', text: 'hello' }]);
});

test('a tool without a risk is at least high unless it is the own tool of the operator', () => {
  const riskOf = (options: AddToolOptions | undefined, defaultRisk: ToolRisk, risk?: ToolRisk): ToolRisk => {
    const toolbox = new Toolbox();
    toolbox.add(recordingTool('t', risk === undefined ? {} : { risk }), options);
    return staticRisk(toolbox.get('t') as Tool, defaultRisk);
  };
  assert.equal(riskOf(undefined, 'safe'), 'safe');
  assert.equal(riskOf({ source: 'tools', isOwn: true }, 'safe'), 'safe');
  assert.equal(riskOf({ source: 'plugin' }, 'safe'), 'high');
  assert.equal(riskOf({ source: 'plugin' }, 'critical'), 'critical');
  assert.equal(riskOf({ isOwn: false }, 'safe'), 'high');
  assert.equal(riskOf({ source: 'plugin' }, 'safe', 'safe'), 'safe');
});

test('the same object may be added as an own and as a foreign tool', () => {
  const tool = recordingTool('t');
  const [own, foreign] = [new Toolbox([tool]), new Toolbox()];
  foreign.add(tool, { source: 'plugin' });
  assert.equal(staticRisk(own.get('t') as Tool, 'safe'), 'safe');
  assert.equal(staticRisk(foreign.get('t') as Tool, 'safe'), 'high');
  const again = new Toolbox(foreign.all());
  assert.equal(staticRisk(again.get('t') as Tool, 'safe'), 'high', 'a frozen tool stays foreign');
});
