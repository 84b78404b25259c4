import { defineConfig } from 'vitest/config';
import type { ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['{packages,apps,examples,scripts,bench}/**/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    environment: 'node',
    setupFiles: ['./scripts/testing/end-hung-file.ts'],
    // Sandboxes fork children of their own: more workers than this starve them on a small machine.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
    passWithNoTests: false,
  },
});

export default config;
