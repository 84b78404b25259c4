import { isKernelError, KernelError } from '@ravi/kernel';
import type { JsonObject, Tool, ToolContext, ToolExecutionResult, ToolRisk } from '@ravi/kernel';
import { buildRequest } from './request/build-request.ts';
import { readResponse } from './response/read-response.ts';
import type { Operation } from './operation/operation.ts';

/** Options of {@link createOperationTool}. */
export interface OperationToolOptions {
  readonly name: string;
  readonly risk: ToolRisk;
  /** Address below which every call goes. */
  readonly server: URL;
  /** Calls no other host. */
  readonly fetch: typeof globalThis.fetch;
  /** True if the operator believes what the document says about results. */
  readonly checksResults: boolean;
}

/** Creates the tool of an operation. */
export function createOperationTool(operation: Operation, options: OperationToolOptions): Tool {
  const { name, risk, checksResults } = options;
  const { description, inputSchema, outputSchema, body } = operation;
  return {
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined || !checksResults || operation.method === 'HEAD' ? {} : { outputSchema }),
    risk,
    // Only what goes out as it is can be a stream: other content is part of a text.
    ...(body?.kind === 'multipart' || body?.kind === 'binary' ? { artifacts: 'stream' as const } : {}),
    idempotent: risk === 'safe',
    execute: (args, context) => call(operation, args, context, options),
  };
}

async function call(
  operation: Operation,
  args: JsonObject,
  context: ToolContext,
  { server, fetch }: OperationToolOptions,
): Promise<ToolExecutionResult> {
  const { signal, idempotencyKey } = context;
  const { url, init } = await buildRequest(operation, args, { server, idempotencyKey });
  try {
    return await readResponse(await fetch(url, { ...init, signal }), operation, context);
  } catch (error) {
    if (signal.aborted || isKernelError(error)) throw error;
    throw new KernelError('E_SOURCE_UNAVAILABLE', `${url.host} could not be reached${reasonOf(error)}`, {
      cause: error,
      retryable: true,
    });
  }
}

/** Returns the code of the system for a failed connection; messages of the client can contain the address with its query. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[A-Z_0-9]{2,40}$/.test(code) ? ` (${code})` : '';
}
