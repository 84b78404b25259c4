import { hkdfSync } from 'node:crypto';
import { createMcpEndpoint } from '@ravi/mcp-server';
import type { McpEndpoint } from '@ravi/mcp-server';
import type { Parts } from '../../tokens.ts';
import { maxScriptBodyBytes } from '../scripts/script-request.ts';

const keyBytes = 32;

/** Creates the endpoint for clients of the Model Context Protocol. */
export function createMcpPart({ invoker, toolbox, toolAccess, digestKey, config, clock, logger }: Parts): McpEndpoint {
  const endpoint = createMcpEndpoint({
    stateKey: mcpStateKey(digestKey),
    clock,
    maxMessageBytes: maxScriptBodyBytes(invoker.policy),
    maxStreams: config.server.maxEventStreams,
    onError: (error) => logger.debug('a request of the Model Context Protocol failed', { error }),
  });
  const ends = [toolbox.onChange(endpoint.toolsChanged), toolAccess.onChange(endpoint.toolsChanged)];
  return {
    ...endpoint,
    [Symbol.asyncDispose]() {
      for (const end of ends) end();
      return endpoint[Symbol.asyncDispose]();
    },
  };
}

/** Returns the key of the states that clients of the Model Context Protocol return with their answers; the same after a restart. */
function mcpStateKey(digestKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', digestKey, '', 'mcp request state', keyBytes));
}
