import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callPaths } from '@ravi/invoker/internal';
import type { CallPath } from '@ravi/invoker/internal';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { settle } from '@ravi/testkit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { agentPaths } from './support/bypass/agent-paths.ts';
import type { Path } from './support/bypass/agent-paths.ts';
import { expectedEffects, faults } from './support/bypass/faults.ts';
import type { Fault, Outcome } from './support/bypass/faults.ts';
import { programPaths } from './support/bypass/program-paths.ts';
import { startServerPaths } from './support/bypass/server-paths.ts';
import type { ServerPaths } from './support/bypass/server-paths.ts';
import { createWorld } from './support/bypass/world.ts';

const sandbox = createIsolatedVmSandbox();
const opened = new AsyncDisposableStack();
let server: ServerPaths;
beforeAll(async () => {
  opened.use(sandbox);
  server = opened.use(await startServerPaths());
});
afterAll(() => opened.disposeAsync());

type Cell = (fault: Fault) => Promise<Outcome>;

const inLibrary =
  (path: Path): Cell =>
  async (fault) => {
    await using state = await createSqliteStateStore({ file: ':memory:' });
    const { world, faulty, refusals } = createWorld(fault, state, sandbox);
    await path(world);
    await faulty.approveLate();
    await settle();
    return { effects: world.effects, requests: faulty.requests.length, refusals };
  };

const onServer = {
  http: (fault) => server.run('http', fault),
  'durable-script': (fault) => server.run('durable-script', fault),
  'approved-set': (fault) => server.run('approved-set', fault),
  'dry-run': (fault) => server.run('dry-run', fault),
} as const satisfies Partial<Record<CallPath, Cell>>;

// A path that is added to the registry does not compile until it is added here.
const cells: Readonly<Record<CallPath, Cell>> = {
  ...onServer,
  model: inLibrary(agentPaths.model),
  context: inLibrary(agentPaths.context),
  skill: inLibrary(agentPaths.skill),
  'sub-agent': inLibrary(agentPaths['sub-agent']),
  background: inLibrary(agentPaths.background),
  promoted: inLibrary(agentPaths.promoted),
  stateful: inLibrary(agentPaths.stateful),
  resumed: inLibrary(agentPaths.resumed),
  recovered: inLibrary(agentPaths.recovered),
  'provider-script': inLibrary(agentPaths['provider-script']),
  script: inLibrary(programPaths.script),
  snippet: inLibrary(programPaths.snippet),
  'inside-tool': inLibrary(programPaths['inside-tool']),
  spawned: inLibrary(programPaths.spawned),
  framework: inLibrary(programPaths.framework),
};

/** Faults that refuse the call before anyone is asked. */
const unasked: readonly Fault[] = ['faulty-hook', 'not-granted'];

/** The caller learns that there is no such tool, and operators that it has a rule. A skill that names the tool says more. */
function refusalOn(path: CallPath): string {
  if (path === 'skill') return 'E_TOOL_NOT_ALLOWED';
  return `E_TOOL_UNKNOWN instead of ${path in onServer ? 'E_TOOLS_DISABLED' : 'E_TOOL_NOT_ALLOWED'}`;
}

/** Paths on which one request asks for all calls of a script. */
const sets: ReadonlySet<CallPath> = new Set(['approved-set', 'dry-run']);

for (const path of Object.keys(callPaths) as CallPath[]) {
  describe(path, () => {
    test.each(faults)('%s: exactly the approved arguments run, or nothing does', async (fault) => {
      const { effects, requests, refusals } = await cells[path](fault);
      // People approve a set as it is, or not at all.
      const isRefused = sets.has(path) && fault === 'edited';
      assert.deepEqual(effects, isRefused ? [] : expectedEffects(fault));
      // Otherwise the cell would pass without having reached the fault.
      assert.equal(requests, unasked.includes(fault) ? 0 : 1);
      if (fault === 'not-granted') assert.ok(refusals.includes(refusalOn(path)), refusals.join());
    });
  });
}

test('every file that calls the invoker is a path of the matrix', () => {
  const root = join(import.meta.dirname, '../../..');
  const sources = globSync('{packages,apps}/**/src/**/*.ts', {
    cwd: root,
    // The last two compare Ravi with other frameworks and tools.
    exclude: ['**/node_modules/**', '**/dist/**', 'packages/integrations/bypass/**', 'packages/tools/comparison/**'],
  });
  const callers = sources.filter((file) => /\.invoke\(/.test(readFileSync(join(root, file), 'utf8')));
  // The invoker itself, its double for tests of tools, and text of a generated project.
  const own = ['packages/invoker/src/invoker.ts', 'packages/invoker/src/testing/run-tool.ts'];
  const others = callers.filter((file) => !own.includes(file) && !file.includes('project-files'));
  assert.deepEqual(others.toSorted(), [...new Set<string>(Object.values(callPaths))].toSorted());
});
