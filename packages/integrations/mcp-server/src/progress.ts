import type { ServerContext } from '@modelcontextprotocol/server';
import type { McpGateway } from './gateway.ts';

/** Sends the steps of a run to a client that asked for progress, until it is disposed. */
export function reportProgress(runId: string, gateway: McpGateway, { mcpReq }: ServerContext): Disposable {
  const progressToken = mcpReq._meta?.progressToken;
  const ending = new AbortController();
  if (progressToken !== undefined) void report(progressToken).catch(() => {});
  return { [Symbol.dispose]: () => ending.abort() };

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
