import type { Outcome } from './outcome.ts';

/** A part of the test run that a developer's machine may skip with a reason, and the build machine must not. */
interface RequiredPart {
  readonly title: string;
  readonly includes: (outcome: Outcome) => boolean;
}

const requiredParts: readonly RequiredPart[] = [
  {
    title: 'the isolated-vm sandbox under vitest',
    includes: ({ runner, file }) => runner === 'vitest' && file.startsWith('packages/sandboxes/isolated-vm/'),
  },
  {
    title: 'the isolated-vm sandbox under node --test',
    includes: ({ runner, file }) => runner === 'node --test' && file.startsWith('packages/sandboxes/isolated-vm/'),
  },
  {
    title: 'the docker sandbox in JavaScript',
    includes: ({ file }) => file === 'packages/sandboxes/docker/test/javascript-contract.test.ts',
  },
  {
    title: 'the docker sandbox in Python',
    includes: ({ file }) => file === 'packages/sandboxes/docker/test/python-contract.test.ts',
  },
  {
    title: 'hostile scripts in JavaScript against the docker sandbox',
    includes: ({ file }) => file === 'packages/sandboxes/docker/test/javascript-hostile.test.ts',
  },
  {
    title: 'hostile scripts in Python against the docker sandbox',
    includes: ({ file }) => file === 'packages/sandboxes/docker/test/python-hostile.test.ts',
  },
  {
    title: 'the end of containers after killed runs',
    includes: ({ file, name }) =>
      file === 'packages/sandboxes/docker/test/containers.test.ts' && /^after \d+ killed runs/.test(name),
  },
  ...['the time limit removes', 'a fork bomb', 'tests in a container', 'a cancelled call'].map((name) => ({
    title: `commands in containers: ${name}`,
    includes: (outcome: Outcome) =>
      outcome.file === 'packages/tools/shell/test/container.test.ts' && outcome.name.startsWith(name),
  })),
  {
    title: 'commands of a server in containers',
    includes: ({ file, name }) =>
      file === 'apps/monolith/test/search-shell-tools.test.ts' && name.startsWith('with a container'),
  },
  {
    title: 'commands with bubblewrap',
    includes: ({ file, name }) => file === 'packages/tools/shell/test/wrapper.test.ts' && name.includes('bubblewrap'),
  },
  {
    title: 'the S3 blob store under vitest',
    includes: ({ runner, file }) => runner === 'vitest' && file === 'packages/blobs/s3/test/contract.test.ts',
  },
  {
    title: 'the S3 blob store under node --test',
    includes: ({ runner, file }) => runner === 'node --test' && file === 'packages/blobs/s3/test/contract.test.ts',
  },
  {
    title: 'kills of the S3 blob store',
    includes: ({ file }) => file === 'packages/blobs/s3/test/crash.test.ts',
  },
  {
    title: 'the server with its blobs on S3',
    includes: ({ file }) => file === 'apps/monolith/test/s3.test.ts',
  },
  {
    title: 'state in SQLite',
    includes: ({ file }) => file === 'packages/state/sqlite/test/contract.test.ts',
  },
  ...['sqlite', 'postgres'].map((store) => ({
    title: `faults of servers on one ${store} store`,
    includes: ({ file, name }: Outcome) =>
      file === 'scripts/test/kill-test.test.ts' && name.includes(`on one ${store} store`),
  })),
  {
    title: 'state in PostgreSQL under vitest',
    includes: ({ runner, file }) => runner === 'vitest' && file === 'packages/state/postgres/test/contract.test.ts',
  },
  {
    title: 'state in PostgreSQL under node --test',
    includes: ({ runner, file }) =>
      runner === 'node --test' && file === 'packages/state/postgres/test/contract.test.ts',
  },
  {
    title: 'an outage of PostgreSQL',
    includes: ({ file }) => file === 'packages/state/postgres/test/outage.test.ts',
  },
  ...['restate', 'pg-boss'].flatMap((engine) =>
    ['vitest', 'node --test'].map((name) => ({
      title: `runs distributed by ${engine} under ${name}`,
      includes: ({ runner, file }: Outcome) =>
        runner === name && file === `packages/engines/${engine}/test/contract.test.ts`,
    })),
  ),
  {
    title: 'two servers behind a load balancer, of which one is killed',
    includes: ({ file }) => file === 'apps/monolith/test/several-servers.test.ts',
  },
  {
    title: 'two servers on one Restate',
    includes: ({ file }) => file === 'apps/monolith/test/restate-engine.test.ts',
  },
  {
    title: 'chains in Python',
    includes: ({ file, name }) =>
      file === 'packages/capabilities/test/chain/python.test.ts' && name.startsWith('Python'),
  },
  {
    title: 'the approval page in Chromium',
    includes: ({ file, name }) => file === 'packages/approvals/web/test/page.test.ts' && name.startsWith('in Chromium'),
  },
  {
    title: 'the approval story in Chromium: ask, kill the server, decide, resume',
    includes: ({ file }) => file === 'examples/durable-approvals/test/story.test.ts',
  },
  {
    title: 'the approval story in Chromium through the reference server',
    includes: ({ file }) => file === 'apps/monolith/test/approval-story.test.ts',
  },
  {
    title: 'the console against the real server in Chromium',
    includes: ({ file }) => file === 'apps/console/test/end-to-end.test.ts',
  },
  {
    title: 'completion in zsh',
    includes: ({ file, name }) => file === 'packages/cli/test/completion.test.ts' && name.startsWith('zsh '),
  },
  {
    title: 'completion in fish',
    includes: ({ file, name }) => file === 'packages/cli/test/completion.test.ts' && name.startsWith('fish '),
  },
  ...['20.19.0', '22.18.0'].map((version) => ({
    title: `programs on Node ${version}`,
    includes: ({ file, name }: Outcome) => file === 'scripts/test/programs.test.ts' && name.includes(version),
  })),
  {
    title: 'gated tools in agent frameworks',
    includes: ({ file, name }) =>
      file === 'packages/integrations/bypass/test/bypass.test.ts' && name.startsWith('docs/bypass.md'),
  },
  {
    title: 'hostile calls to the tools of Ravi and of two peers',
    includes: ({ file, name }) =>
      file === 'packages/tools/comparison/test/comparison.test.ts' && name.includes('docs/tools-compared.md'),
  },
  ...['2025-11-25', '2026-07-28'].map((version) => ({
    title: `conformance of the server for MCP ${version}`,
    includes: ({ file, name }: Outcome) =>
      file === 'apps/monolith/test/mcp-conformance.test.ts' && name.includes(version),
  })),
  ...['stdio', 'HTTP'].map((transport) => ({
    title: `hostile MCP servers over ${transport}`,
    includes: ({ file, name }: Outcome) =>
      file === `apps/monolith/test/mcp-hostile-${transport.toLowerCase()}.test.ts` &&
      name.includes(`over ${transport}, `),
  })),
  ...['2025-11-25', '2026-07-28'].map((version) => ({
    title: `the conformance of MCP clients to version ${version}`,
    includes: ({ file, name }: Outcome) =>
      file === 'packages/integrations/mcp/test/conformance/conformance.test.ts' &&
      name.endsWith(`of version ${version}`),
  })),
  {
    title: 'a script across two real MCP servers with an approval',
    includes: ({ file, name }) =>
      file === 'apps/monolith/test/mcp-servers.test.ts' && name.startsWith('a script reads with one server'),
  },
  {
    title: 'an MCP server that drives Chromium',
    includes: ({ file, name }) =>
      file === 'apps/monolith/test/mcp-servers.test.ts' && name.startsWith('@playwright/mcp'),
  },
  {
    title: 'the approval prompt on a pseudo terminal',
    includes: ({ file, name }) =>
      file.startsWith('packages/approvals/cli/') && /\b(pty|pseudo.?terminal)\b/i.test(name),
  },
];

/** Returns a failed outcome for each required part without a passed test. */
export function missingParts(outcomes: readonly Outcome[]): Outcome[] {
  return requiredParts
    .filter((part) => !outcomes.some((outcome) => outcome.status === 'passed' && part.includes(outcome)))
    .map((part) => ({ runner: 'required', file: '', name: `${part.title} did not run`, status: 'failed' }));
}
