import { setImmediate as nextTurn } from 'node:timers/promises';
import { createArgumentCheck } from '@ravi/invoker';
import type { ArgumentCheck, Toolbox } from '@ravi/invoker';
import { isKernelError, isLocalTool } from '@ravi/kernel';
import type { JsonSchema, Logger } from '@ravi/kernel';
import type { ToolReport } from './tool-sources.ts';

/**
 * Finds tools that cannot be called because their `inputSchema` does not compile. The invoker compiles a schema at its first
 * call, which takes about a millisecond. This compiles one schema per turn of the event loop, so that requests are handled in
 * between. Ends early when `signal` aborts.
 */
export async function* findInvalidSchemas(
  toolbox: Toolbox,
  signal?: AbortSignal,
): AsyncGenerator<ToolReport['failures'][number]> {
  const check = createArgumentCheck();
  for (const tool of toolbox.all()) {
    if (!isLocalTool(tool)) continue;
    await nextTurn();
    if (signal?.aborted === true) return;
    const message = problemWith(tool.inputSchema, check);
    if (message !== undefined) yield { source: toolbox.sourceOf(tool.name) ?? 'unknown', from: tool.name, message };
  }
}

/** Logs the findings of {@link findInvalidSchemas} in the background, until `signal` aborts. */
export async function warnOfInvalidSchemas(
  toolbox: Toolbox,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  for await (const { message: reason, ...where } of findInvalidSchemas(toolbox, signal)) {
    logger.warn('a tool with an invalid schema cannot be called', { ...where, reason });
  }
}

function problemWith(schema: JsonSchema, check: ArgumentCheck): string | undefined {
  try {
    check(schema, {});
    return undefined;
  } catch (error) {
    if (!isKernelError(error, 'E_TOOL_INVALID')) throw error;
    return error.message;
  }
}
