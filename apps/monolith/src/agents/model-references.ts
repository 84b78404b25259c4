import { createFailover } from '@ravi/agents';
import type { FailoverOptions } from '@ravi/agents';
import { KernelError } from '@ravi/kernel';
import type { ModelProvider } from '@ravi/kernel';
import { withStream } from '@ravi/support';

/** Model of an agent. */
export interface ChosenModel {
  readonly provider: ModelProvider;
  /** Model of the provider in place of its own. */
  readonly model?: string;
}

/**
 * Returns the model that references name: each is the name of a model, the id of a provider, or both as `id/model`. With several,
 * the first one is asked first. `place` begins the message of an error.
 * @throws KernelError `E_CONFIG_INVALID` for a reference that names none
 */
export function modelOfReferences(
  references: readonly string[],
  models: readonly ModelProvider[],
  { place, ...options }: FailoverOptions & { readonly place: string },
): ChosenModel {
  const chosen = references.map((reference) => choose(reference, models, place));
  const [first] = chosen;
  if (first === undefined) throw new KernelError('E_CONFIG_INVALID', `${place}: name at least one model`);
  if (chosen.length === 1) return first;
  return { provider: createFailover(chosen.map(bound), options) };
}

function choose(reference: string, models: readonly ModelProvider[], place: string): ChosenModel {
  const exact = models.find(({ id, model }) => [model, id, `${id}/${model}`].includes(reference));
  if (exact !== undefined) return { provider: exact };
  const provider = models.find(({ id }) => reference.startsWith(`${id}/`));
  if (provider !== undefined) return { provider, model: reference.slice(provider.id.length + 1) };
  const known = models.map(({ id, model }) => (model === undefined ? id : `${id}/${model}`));
  throw new KernelError(
    'E_CONFIG_INVALID',
    `${place}: no provider of plugins.modelProvider has the model ${JSON.stringify(reference)}; there are ${known.join(', ')}`,
  );
}

// In a failover each provider is asked for its own model.
function bound({ provider, model }: ChosenModel): ModelProvider {
  if (model === undefined) return provider;
  return {
    ...withStream(provider, (request, options) => provider.stream({ ...request, model }, options)),
    model,
    contextTokens: (name = model) => provider.contextTokens?.(name),
  };
}
