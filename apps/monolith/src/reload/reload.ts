import type { ReloadResult } from '@ravi/api';
import type { Logger } from '@ravi/kernel';
import { escapeHidden } from '@ravi/support';
import type { Redactor } from '../logging/redactor.ts';
import type { ToolSources } from '../sources/tool-sources.ts';

/** Reads what can change while the server works again, and reports what has changed. What is broken keeps its previous state. */
export type Reload = () => Promise<ReloadResult>;

/** Options of {@link createReload}. */
export interface ReloadOptions {
  readonly toolSources: ToolSources;
  readonly redactor: Redactor;
  readonly logger: Logger;
}

/** Creates the reload of a process. Reloads are executed one after the other. */
export function createReload({ toolSources, redactor, logger }: ReloadOptions): Reload {
  const clean = (text: string): string => escapeHidden(redactor.text(text));

  return async () => {
    const changes = await toolSources.reload();
    const sources = changes
      .filter(({ added, changed, removed, failures }) =>
        [added, changed, removed, failures].some((one) => one.length > 0),
      )
      .map(({ failures, ...change }) => ({
        ...change,
        failures: failures.map(({ from, message }) => ({ from: clean(from), message: clean(message) })),
      }));
    for (const { source, added, changed, removed } of sources) {
      if (added.length + changed.length + removed.length === 0) continue;
      logger.info('tools were reloaded', { source, added, changed, removed });
    }
    return { sources };
  };
}
