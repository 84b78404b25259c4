import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { createApiGateway, serveMcpStdio } from '@ravi/mcp-server';
import type { ServerMode } from '@ravi/mcp-server';
import { KernelError } from '@ravi/kernel';
import type { CommandBody, Invocation } from '../command.ts';
import { connect, serverOf } from '../connection/connect.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';
import { serveHere } from './serve.ts';

const keyBytes = 32;
const maxErrors = 100;
const maxErrorCharacters = 500;

/**
 * Serves one client of the Model Context Protocol over standard input and output until it closes them, with the installation in this
 * process or the one of a server. With `--http` it is a server that listens.
 */
export const serveMcp: CommandBody = async (invocation, terminal) => {
  const { mode, host, port } = invocation.values;
  const server = serverOf(invocation, terminal);
  if (invocation.flags.has('http')) return serveHttp(invocation, server, terminal);
  if (host !== undefined || port !== undefined) {
    throw new KernelError(
      'E_USAGE',
      '--host and --port need --http: without it the client is at standard input and output',
    );
  }
  // Tools in this process may print.
  const output = takeStandardOutput();
  await using client = await connect(invocation, terminal, { recovers: true });
  const inbox = server === undefined ? {} : { inboxUrl: new URL('/approvals', server).href };
  await using connection = serveMcpStdio({
    gateway: createApiGateway({ client, ...inbox }),
    input: process.stdin,
    output,
    stateKey: randomBytes(keyBytes),
    onError: reportTo(terminal),
    ...(mode === undefined ? {} : { mode: mode as ServerMode }),
  });
  const unsubscribe = client.onToolsChanged?.(connection.toolsChanged);
  await Promise.race([connection.closed, terminal.interrupted()]);
  unsubscribe?.();
};

function serveHttp(invocation: Invocation, server: string | undefined, terminal: Terminal): ReturnType<CommandBody> {
  if (server !== undefined) {
    throw new KernelError('E_USAGE', `--http and --server exclude each other: ${server} serves /mcp itself`);
  }
  const query = invocation.values['mode'] === 'tools' ? '?mode=tools' : '';
  terminal.warn(`Clients connect to the path /mcp${query} of the address below.`);
  return serveHere(invocation, terminal);
}

// A client decides how many errors there are, and what they say.
function reportTo({ warn }: Terminal): (error: Error) => void {
  let left = maxErrors;
  return ({ message }) => {
    if (left-- > 0) warn(visible(`mcp: ${message.slice(0, maxErrorCharacters)}`));
  };
}

/** Returns standard output for messages of the protocol. Everything else that this process prints goes to standard error. */
function takeStandardOutput(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (write(chunk)) done();
      else stdout.once('drain', () => done());
    },
  });
  // The client is gone.
  stdout.on('error', (error) => output.destroy(error));
  return output;
}
