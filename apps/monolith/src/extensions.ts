import { createGuardrail } from '@ravi/agents';
import type { AgentMiddleware } from '@ravi/agents';
import type { OpenedPlugins } from '@ravi/host';
import type { HistoryView, Interceptor } from '@ravi/kernel';

/** Functions of plugins around calls and runs, in the order of the configuration. */
export interface Extensions {
  readonly interceptors: readonly Interceptor[];
  /** The middleware first, then the guardrails, which see what it passes on. */
  readonly middleware: readonly AgentMiddleware[];
  /** All views as one; absent without one. */
  readonly view: HistoryView | undefined;
}

/** Returns the functions that plugins brought. */
export function extensionsOf({
  interceptor: interceptors,
  middleware,
  guardrail: guardrails,
  historyView: views,
}: Pick<OpenedPlugins, 'interceptor' | 'middleware' | 'guardrail' | 'historyView'>): Extensions {
  return {
    interceptors,
    middleware: [...middleware, ...guardrails.map((guardrail) => createGuardrail(guardrail))],
    view: views.length === 0 ? undefined : composeViews(views),
  };
}

function composeViews(views: readonly HistoryView[]): HistoryView {
  return {
    async view(messages, options) {
      let shown = messages;
      for (const each of views) shown = await each.view(shown, options);
      return shown;
    },
  };
}
