import type { Clock, Logger } from '@ravi/kernel';
import { repeat } from '../maintenance/repeat.ts';
import type { Repeated } from '../maintenance/repeat.ts';
import type { SnippetTools } from './snippet-tools.ts';

/** Options of {@link followSnippets}. */
export interface FollowSnippetsOptions {
  readonly snippetTools: Pick<SnippetTools, 'update'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 5_000;

/** Offers what other servers of the state store have saved as tools of the agent: every five seconds until disposed. */
export function followSnippets({ snippetTools, clock, logger }: FollowSnippetsOptions): Repeated {
  const failure = 'the snippets of other servers could not be read';
  return repeat({ work: () => snippetTools.update(), failure, intervalMs, startDelayMs: intervalMs, clock, logger });
}
