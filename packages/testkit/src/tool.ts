import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { isToolRisk, toolNamePattern } from '@ravi/kernel';
import type { ContentBlock, JsonObject, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { deepFreeze } from './suite/deep-freeze.ts';
import { schemaProblems } from './suite/schema-problems.ts';
import type { ContractTest } from './suite/contract-test.ts';
import { createToolContext } from './doubles/tool-context.ts';

/** Options of {@link toolContract}. */
export interface ToolContractOptions {
  /** Parts of the context that the tool needs, for example its blobs. */
  readonly context?: Partial<ToolContext>;
}

/**
 * The suite of a local tool. `sampleArgs` must make it succeed; it is executed several times, so the calls should be
 * harmless where the test runs.
 */
export function toolContract(
  test: ContractTest,
  tool: Tool,
  sampleArgs: JsonObject,
  { context = {} }: ToolContractOptions = {},
): void {
  const args = deepFreeze(structuredClone(sampleArgs));

  test('name and description say what the tool is', () => {
    assert.match(tool.name, toolNamePattern);
    assert.notEqual(tool.description.trim(), '', 'a model chooses by the description');
    assert.ok(tool.promptHint === undefined || !tool.promptHint.includes('\n'), 'promptHint is one line');
    if (tool.documentation !== undefined) assert.notEqual(tool.documentation().trim(), '');
  });

  test('the schemas are sound, plain JSON, and the arguments are an object', () => {
    assert.equal(tool.inputSchema['type'], 'object');
    for (const schema of [tool.inputSchema, tool.outputSchema ?? {}]) {
      assert.deepEqual(schemaProblems(schema), []);
      assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema);
    }
  });

  test('risk and flags have known values and do not change between two looks', () => {
    assert.ok(tool.risk === undefined || isToolRisk(tool.risk), `risk is ${String(tool.risk)}`);
    assert.ok(tool.artifacts === undefined || tool.artifacts === 'value' || tool.artifacts === 'stream');
    for (const caller of tool.allowedCallers ?? []) assert.ok(caller === 'direct' || caller === 'chain');
    for (const field of Object.keys(tool) as (keyof Tool)[])
      assert.deepEqual(tool[field], tool[field], `${field} changes`);
  });

  test('the judgement of a call and its lock keys depend on the arguments alone', () => {
    const { concurrency } = tool;
    if (typeof concurrency === 'object') {
      const keys = concurrency.keys(args);
      assert.ok(
        keys.every((key) => typeof key === 'string'),
        'keys are strings',
      );
      assert.deepEqual(concurrency.keys(args), keys);
    }
    const judgement = tool.classifyRisk?.(args);
    assert.ok(judgement === undefined || isToolRisk(judgement.risk));
    assert.deepEqual(tool.classifyRisk?.(args), judgement);
  });

  test('the check before an approval passes the sample call', async () => {
    await tool.checkCall?.(args, createToolContext(context));
  });

  test('the sample call succeeds with a complete result that keeps its arguments as they were', async () => {
    checkResult(tool, await tool.execute(args, createToolContext(context)));
  });

  test('calls at the same time all succeed and share nothing but what their context gives them', async () => {
    const contexts = ['call-1', 'call-2', 'call-3'].map((callId) => createToolContext({ callId, ...context }));
    const results = await Promise.all(contexts.map((each) => tool.execute(args, each)));
    for (const result of results) checkResult(tool, result);
    assert.equal(new Set(results).size, results.length, 'each call has a result of its own');
  });

  test('a call settles when it is cancelled, before its start or while it runs', async () => {
    await Promise.allSettled([run(AbortSignal.abort())]);
    const controller = new AbortController();
    const running = run(controller.signal);
    controller.abort();
    await Promise.allSettled([running]);
  });

  test('a finished call leaves no listener on its signal', async () => {
    const { signal } = new AbortController();
    await run(signal);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  /** The `check` of `createToolContext` follows this signal, even if the options have another. */
  async function run(signal: AbortSignal): Promise<ToolExecutionResult> {
    const { check } = createToolContext({ signal });
    return tool.execute(args, createToolContext({ ...context, signal, check }));
  }
}

function checkResult(tool: Tool, result: ToolExecutionResult): void {
  assert.equal(result.isError, false, `the sample call failed: ${JSON.stringify(result.content)}`);
  assert.ok(Array.isArray(result.content), 'content is a list');
  for (const block of result.content as readonly ContentBlock[])
    assert.ok(isBlock(block), `no block: ${JSON.stringify(block)}`);
  assertJson(result.structuredContent, 'structuredContent');
  assertJson(result.metadata, 'metadata');
  if (tool.outputSchema !== undefined)
    assert.notEqual(result.structuredContent, undefined, 'outputSchema promises a value');
}

function assertJson(value: unknown, name: string): void {
  if (value !== undefined) assert.deepEqual(JSON.parse(JSON.stringify(value)), value, `${name} must survive JSON`);
}

function isBlock(block: ContentBlock): boolean {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return typeof block.text === 'string';
    case 'error':
      return typeof block.message === 'string';
    case 'data':
      return block.data !== undefined;
    case 'image':
    case 'audio':
    case 'document':
      return /^[\w.+-]+\/[\w.+-]+/.test(block.mediaType) && ['bytes', 'blob', 'url'].includes(block.source.kind);
    case 'tool_use':
      return typeof block.id === 'string' && typeof block.name === 'string';
    case 'tool_result':
      return block.content.every(isBlock);
    case 'unknown':
      return 'raw' in block;
    default:
      return false;
  }
}
