import { defineConfig } from '@ravi/host';
import type { RaviConfig } from '@ravi/host';

/** What decides when nobody sits at a terminal. */
const rules = [
  { tool: 'publish_report', risk: 'high', decision: 'approved', reason: 'The demonstration may write its own report.' },
];

const isAttended = process.stdin.isTTY && process.stderr.isTTY;

const config: RaviConfig = defineConfig({
  tools: ['./tools'],
  // A script gets results up to this size as values and larger ones as handles.
  policy: { maxScriptResultBytes: 131_072 },
  plugins: {
    blobStore: { use: '@ravi/blob-fs', root: './data/blobs' },
    approvalHandler: isAttended ? { use: '@ravi/approval-cli' } : { use: '@ravi/approval-auto', rules },
    sandbox: { use: '@ravi/sandbox-isolated-vm' },
  },
});

export default config;
