import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { ChainRunResult, SandboxLanguage } from '@ravi/kernel';

/** Runs a script and tells observers of its beginning and of its end, also when the sandbox fails. */
export async function announced(
  session: InvokerSession,
  { invoker, language = 'javascript' }: { readonly invoker: ToolInvoker; readonly language?: SandboxLanguage },
  run: () => Promise<ChainRunResult>,
): Promise<ChainRunResult> {
  const { hooks, clock } = invoker;
  const started = clock.monotonic();
  const end = (status: ChainRunResult['status'], errorCode: string | undefined): void =>
    hooks.emit('chain-end', {
      ...session.scope,
      status,
      durationMs: clock.monotonic() - started,
      toolCalls: session.callCount,
      ...(errorCode === undefined ? {} : { errorCode }),
    });
  hooks.emit('chain-start', { ...session.scope, language });
  try {
    const result = await run();
    end(result.status, result.error?.code);
    return result;
  } catch (error) {
    end('error', isKernelError(error) ? error.code : 'E_INTERNAL');
    throw error;
  }
}
