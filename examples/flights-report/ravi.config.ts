import { defineConfig } from '@ravi/host';
import type { RaviConfig } from '@ravi/host';

const config: RaviConfig = defineConfig({
  // Keep the output of the demonstration free of log lines.
  logging: { level: 'warn' },
  tools: ['./tools'],
  // A script gets results up to this size as values and larger ones as handles.
  policy: {
    maxScriptResultBytes: 131_072,
    // The approver has ten minutes while the agent waits.
    approvalTimeoutMs: 600_000,
    callTimeoutMs: 660_000,
    totalTimeoutMs: 720_000,
  },
  approvals: { mode: 'pause' },
  agent: { demoScript: './script.ts' },
  plugins: {
    blobStore: { use: '@ravi/blob-fs', root: './data/blobs' },
    sandbox: { use: '@ravi/sandbox-isolated-vm' },
  },
});

export default config;
