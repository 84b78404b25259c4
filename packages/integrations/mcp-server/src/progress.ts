import type { ServerContext } from '@modelcontextprotocol/server';
import type { McpGateway } from './gateway.ts';

const maxFlushMs = 250;

/**
 * Sends the steps of a run to a client that asked for progress, until it is disposed. Disposing it waits a moment for steps that were
 * made, because none may follow the result.
 */
export function reportProgress(runId: string, gateway: McpGateway, { mcpReq }: ServerContext): AsyncDisposable {
  const progressToken = mcpReq._meta?.progressToken;
  const ending = new AbortController();
  const reported = progressToken === undefined ? undefined : report(progressToken).catch(() => {});
  return {
    async [Symbol.asyncDispose]() {
      if (reported === undefined) return;
      const timer = setTimeout(() => ending.abort(), maxFlushMs);
      await reported;
      clearTimeout(timer);
    },
  };

  async function report(token: string | number): Promise<void> {
    // The protocol wants a number that grows with each message.
    let step = 0;
    for await (const { message } of gateway.follow(runId, ending.signal)) {
      if (ending.signal.aborted) return;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress: ++step, message },
      });
    }
  }
}
