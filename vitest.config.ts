import { defineConfig } from 'vitest/config';
import type { ViteUserConfig } from 'vitest/config';
import { LongFirst } from './scripts/testing/long-first.ts';
import { slowFiles } from './scripts/testing/test-plan.ts';

// `npm test -- --fast` sets it: options of a call do not reach projects.
const left = process.env['RAVI_TEST_FILES'] === 'fast' ? slowFiles : [];
const exclude = ['**/node_modules/**', '**/dist/**', ...left];

/**
 * Packages whose tests start no process and change nothing global: their files share one process, which loads the package once. A file
 * that needs a process of its own does not belong here.
 */
const shared =
  'packages/{kernel,support,api,invoker,agents,providers,integrations/{source-kit,safe-fetch,openapi}}/**/test/**/*.test.ts';

/**
 * Tests of whole servers. Node itself imports their modules, as in a server: a tool of a folder then shares the classes of the server, and
 * not copies of them that the test runner has made.
 */
const servers = '{apps/monolith,packages/cli,examples/*}/test/**/*.test.ts';

const config: ViteUserConfig = defineConfig({
  test: {
    // Sandboxes fork children of their own: more workers than this starve them on a small machine.
    maxWorkers: 2,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: [shared], exclude, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'own',
          include: ['{packages,apps,examples,scripts,bench}/**/test/**/*.test.ts'],
          exclude: [...exclude, shared, servers],
        },
      },
      {
        extends: true,
        test: { name: 'server', include: [servers], exclude, experimental: { viteModuleRunner: false } },
      },
    ],
    environment: 'node',
    setupFiles: ['./scripts/testing/end-hung-file.ts', './scripts/testing/sample-tests.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

export default config;
