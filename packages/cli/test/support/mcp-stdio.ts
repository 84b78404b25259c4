import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { childEnvironment } from '@ravi/testkit';
import { connectOver } from '@ravi/mcp-testing';
import type { Generation, McpClientOptions, McpTestClient } from '@ravi/mcp-testing';

const entry = join(import.meta.dirname, '../../src/main.ts');

/** An official client whose server is `ravi mcp serve` in a process of its own. */
export interface StdioClient extends McpTestClient {
  /** Id of the process. */
  readonly pid: number;
  /** Everything that the process has written to standard error. */
  errors(): string;
}

/** Options of {@link connectStdio}. */
export interface StdioClientOptions extends McpClientOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `ravi mcp serve` in a folder and connects a client to it. */
export async function connectStdio(
  cwd: string,
  generation: Generation,
  { args = [], env = {}, ...options }: StdioClientOptions = {},
): Promise<StdioClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entry, 'mcp', 'serve', ...args],
    cwd,
    env: { ...childEnvironment(), ...env },
    stderr: 'pipe',
  });
  let written = '';
  transport.stderr?.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const connected = await connectOver(transport, generation, options);
  return { ...connected, pid: transport.pid ?? 0, errors: () => written };
}
