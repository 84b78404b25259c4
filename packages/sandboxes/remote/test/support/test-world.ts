import type { Sandbox } from '@ravi/kernel';
import { createMemoryLogger } from '@ravi/testkit';
import { createTestCertificates } from '@ravi/sandbox-testing';
import type { TestCertificates, TestFiles } from '@ravi/sandbox-testing';
import { createRemoteSandbox, readTlsFiles, startSandboxNode } from '../../src/index.ts';
import type { RemoteSandboxOptions, SandboxNode, SandboxNodeOptions } from '../../src/index.ts';

/** Nodes in this process, and sandboxes that use them. Disposing it disposes all. */
export interface TestWorld extends AsyncDisposable {
  readonly certificates: TestCertificates;
  /** Certificate of the nodes and of the sandboxes. */
  readonly nodeFiles: TestFiles;
  readonly serverFiles: TestFiles;
  readonly log: ReturnType<typeof createMemoryLogger>;
  node(sandbox: Sandbox, options?: Partial<SandboxNodeOptions>): Promise<SandboxNode>;
  sandbox(nodes: readonly (SandboxNode | string)[], options?: Partial<RemoteSandboxOptions>): Promise<Sandbox>;
}

/** Creates an empty world. */
export function createTestWorld(): TestWorld {
  const stack = new AsyncDisposableStack();
  const certificates = stack.use(createTestCertificates());
  const nodeFiles = certificates.node();
  const serverFiles = certificates.server();
  const log = createMemoryLogger();
  return {
    certificates,
    nodeFiles,
    serverFiles,
    log,
    async node(sandbox, options = {}) {
      const tls = await readTlsFiles(nodeFiles, '/');
      return stack.use(await startSandboxNode({ sandbox, tls, host: '127.0.0.1', port: 0, logger: log, ...options }));
    },
    async sandbox(nodes, options = {}) {
      const addresses = nodes.map((node) => (typeof node === 'string' ? node : addressOf(node)));
      return stack.use(await createRemoteSandbox({ nodes: addresses, ...serverFiles, ...options }, { logger: log }));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The address of a node, as an option. */
export function addressOf({ host, port }: SandboxNode): string {
  return `${host}:${port}`;
}
