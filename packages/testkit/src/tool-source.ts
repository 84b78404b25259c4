import assert from 'node:assert/strict';
import { isHostedTool, isKernelError, isLocalTool, isProviderDefinedTool, toolNamePattern } from '@ravi/kernel';
import type { OpenToolSource, ToolSource, ToolSourceStatus } from '@ravi/kernel';
import type { ContractTest } from './suite/contract-test.ts';

/** A source for {@link toolSourceContract}, reachable and with at least one tool. */
export interface ToolSourceCase {
  readonly source: ToolSource;
  /** Changes the tools of the source; absent for a source that never changes. */
  readonly change?: () => Promise<void> | void;
  /** Ends the place of the tools, such as a server, after the test. */
  readonly end?: () => Promise<void> | void;
}

/** Options of {@link toolSourceContract}. */
export interface ToolSourceContractOptions {
  /** True for a source that reports changes; its cases have `change`. */
  readonly changes?: boolean;
}

const stateNames: readonly ToolSourceStatus['state'][] = ['connecting', 'ready', 'failed', 'sign-in'];

/** Registers the suite of a tool source. `create` makes a new source for each test. */
export function toolSourceContract(
  test: ContractTest,
  create: () => ToolSourceCase | Promise<ToolSourceCase>,
  { changes = false }: ToolSourceContractOptions = {},
): void {
  async function within(body: (given: ToolSourceCase) => Promise<void>): Promise<void> {
    const given = await create();
    try {
      await body(given);
    } finally {
      await given.end?.();
    }
  }

  test('the source has a name without control characters', () =>
    within(async ({ source }) => {
      assert.match(source.name, /^[^\p{Cc}]{1,200}$/u);
    }));

  test('an open source has tools of different names that can be offered', () =>
    within(async ({ source }) => {
      await using opened = await openedOf(source);
      const { tools, failures } = opened.content();
      assert.ok(tools.length > 0, 'the case has at least one tool');
      for (const tool of tools) {
        assert.match(tool.name, toolNamePattern);
        assert.equal(typeof tool.description, 'string');
        assert.ok(isLocalTool(tool) || isProviderDefinedTool(tool) || isHostedTool(tool), `${tool.name} can be called`);
      }
      assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length, 'names are unique');
      for (const { from, message } of failures)
        assert.ok(from !== '' && message !== '', 'a failure has place and reason');
    }));

  test('content and status are the same objects while nothing changes', () =>
    within(async ({ source }) => {
      await using opened = await openedOf(source);
      assert.equal(opened.content(), opened.content());
      assert.equal(opened.remote?.status(), opened.remote?.status());
    }));

  test('the status of a remote source names its place without a query, and a program that is ready', () =>
    within(async ({ source }) => {
      await using opened = await openedOf(source);
      const status = opened.remote?.status();
      if (status === undefined) return;
      assert.ok(stateNames.includes(status.state), status.state);
      assert.ok(status.state === 'ready' || status.state === 'sign-in', `the case is reachable: ${status.message}`);
      assert.ok(status.place !== '' && !status.place.includes('?'), `place is ${status.place}`);
      assert.deepEqual(JSON.parse(JSON.stringify(status)), status, 'a status is plain JSON');
    }));

  test('reconnecting a remote source ends with the same tools, and is no longer connecting', () =>
    within(async ({ source }) => {
      await using opened = await openedOf(source);
      if (opened.remote === undefined) return;
      const before = namesOf(opened);
      await opened.remote.reconnect();
      assert.notEqual(opened.remote.status().state, 'connecting');
      assert.deepEqual(namesOf(opened), before);
    }));

  test('opening is cancelled by its signal', () =>
    within(async ({ source }) => {
      await assert.rejects(source.open({ signal: AbortSignal.abort(), onChange() {} }), (error: unknown) =>
        isKernelError(error, 'E_CANCELLED'),
      );
    }));

  test('two openings are independent, and the second disposal of one has no effect', () =>
    within(async ({ source }) => {
      await using first = await openedOf(source);
      const second = await openedOf(source);
      await second[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
      assert.ok(namesOf(first).length > 0);
      assert.notEqual(first.remote?.status().state, 'failed');
    }));

  if (!changes) {
    test.skip('a change is reported (this source does not change)');
    return;
  }

  test('a change is reported, and the content is then another object', () =>
    within(async ({ source, change }) => {
      const changed = Promise.withResolvers<void>();
      let isOpen = false;
      await using opened = await source.open({
        signal: new AbortController().signal,
        onChange() {
          assert.ok(isOpen, 'onChange is not called before open resolves');
          changed.resolve();
        },
      });
      isOpen = true;
      const before = opened.content();
      await change?.();
      await changed.promise;
      while (opened.content() === before) await new Promise((resolve) => setImmediate(resolve));
      assert.notDeepEqual(definitionsOf(opened), definitionsOf({ content: () => before }));
    }));

  test('a source that was disposed reports no change', () =>
    within(async ({ source, change }) => {
      let reports = 0;
      const opened = await source.open({ signal: new AbortController().signal, onChange: () => void reports++ });
      await opened[Symbol.asyncDispose]();
      const before = reports;
      await change?.();
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(reports, before);
    }));
}

function openedOf(source: ToolSource): Promise<OpenToolSource> {
  return source.open({ signal: new AbortController().signal, onChange() {} });
}

function namesOf({ content }: Pick<OpenToolSource, 'content'>): readonly string[] {
  return content().tools.map(({ name }) => name);
}

function definitionsOf({ content }: Pick<OpenToolSource, 'content'>): unknown {
  return JSON.parse(JSON.stringify(content().tools));
}
