import { expect, test } from 'vitest';
import { Toolbox } from '@ravi/invoker';
import { toolDirectoryOf } from '../../src/discovery/tool-directory.ts';
import { scriptTools } from '../../src/discovery/visible-tools.ts';
import queries from './queries.json' with { type: 'json' };
import { realTools, realToolsMissing } from './shared-tools.ts';

test.skipIf(realToolsMissing)(
  `the right one of 3413 real tools is among the first three for 90 % of ${queries.length} tasks (skipped: their file not found)`,
  async () => {
    const registry = new Toolbox(realTools());
    const tools = scriptTools(registry);
    expect(tools).toHaveLength(3413);
    const missed: string[] = [];
    for (const { query, expected } of queries) {
      for (const name of expected) expect(registry.has(name), name).toBe(true);
      const found = await toolDirectoryOf(registry).search({ query, limit: 3 }, tools);
      if (!found.tools.some(({ name }) => expected.includes(name))) missed.push(query);
    }
    expect(queries.length).toBeGreaterThanOrEqual(100);
    expect(missed.length / queries.length, missed.join('\n')).toBeLessThanOrEqual(0.1);
  },
);

test.skipIf(realToolsMissing)(
  'the index is built in slices that leave the event loop free (skipped: the real tools not found)',
  async () => {
    const registry = new Toolbox(realTools());
    let turns = 0;
    let isBuilt = false;
    const count = (): void => {
      turns++;
      if (!isBuilt) setImmediate(count);
    };
    setImmediate(count);
    await toolDirectoryOf(registry).search({ query: 'weather' }, scriptTools(registry));
    isBuilt = true;
    expect(turns).toBeGreaterThan(3413 / 64 - 2);
  },
);
