import type { ModelProvider } from '@ravi/kernel';

/**
 * Returns a model that has the facts of another one, and streams in its own way. Wrappers use it, so that none of them forgets a fact:
 * the names under which a model is known, its interfaces and the size of its context.
 */
export function withStream(provider: ModelProvider, stream: ModelProvider['stream']): ModelProvider {
  const { id, model, interfaces } = provider;
  return {
    id,
    ...(model === undefined ? {} : { model }),
    ...(interfaces === undefined ? {} : { interfaces }),
    contextTokens: (name) => provider.contextTokens?.(name),
    stream,
  };
}
