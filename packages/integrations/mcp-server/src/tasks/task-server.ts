import { Server } from '@modelcontextprotocol/server';
import type { JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server';

/** Thrown by the handler of a call that answers with a task: every way up ends with it, also that of a check of results. */
export class CreatedTask extends Error {
  override readonly name = 'CreatedTask';
  readonly result: Result;

  constructor(result: Result) {
    super('The call answers with a task');
    this.result = result;
  }
}

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Server whose calls may answer with a task. The server of the SDK checks that every answer is the result of a tool. */
export class TaskServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    if (method !== 'tools/call') return wrapped;
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        if (error instanceof CreatedTask) return error.result;
        throw error;
      }
    };
  }
}
