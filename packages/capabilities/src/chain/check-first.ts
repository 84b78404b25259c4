import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import type { SandboxLanguage } from '@ravi/kernel';
import { createPreflight } from '../preflight/preflight.ts';
import type { Preflight, PreflightReport } from '../preflight/preflight.ts';

/** A script that may be checked before it runs. */
export interface UncheckedScript {
  readonly code: string;
  readonly language?: SandboxLanguage;
  readonly invoker: ToolInvoker;
  readonly preflight?: Preflight | false;
}

const nothing: PreflightReport = { mistakes: [], warnings: [] };
// Holds nothing of any run, and no process until a script is checked.
const ownPreflight = createPreflight();

/** What the check before a run noticed: nothing where it is switched off, for other languages, and for a run that is cancelled meanwhile. */
export async function checkFirst(script: UncheckedScript, session: InvokerSession): Promise<PreflightReport> {
  const { code, language = 'javascript', invoker, preflight = ownPreflight } = script;
  const { signal } = session;
  if (preflight === false || !preflight.languages.includes(language) || signal.aborted) return nothing;
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<PreflightReport>();
  const onAbort = (): void => cancel(nothing);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const argumentsMayChange = invoker.hooks.intercepts;
    const report = preflight.check({ source: code, registry: invoker.registry, session, argumentsMayChange });
    return await Promise.race([report, cancelled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
