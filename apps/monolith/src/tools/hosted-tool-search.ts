import type { HostedTool, JsonObject, ModelProvider } from '@ravi/kernel';

/** Name of the tool search of the provider. */
export const hostedToolSearchName = 'provider_tool_search';

/** Own tool searches of providers, by the API that is the second part of an interface. */
const searches: Readonly<Record<string, JsonObject>> = {
  messages: { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  responses: { type: 'tool_search' },
};

/**
 * Returns the tool search that the providers of these models run themselves. A request to such a provider has all deferred tools, which
 * cost no tokens until the model has found them. `undefined` if none of them has one.
 */
export function createHostedToolSearch(models: readonly ModelProvider[]): HostedTool | undefined {
  const interfaces = models.flatMap(({ id, interfaces: own = [id] }) => own);
  const specs = interfaces.flatMap((key) => {
    const search = searches[key.slice(key.lastIndexOf('/') + 1)];
    return search === undefined ? [] : [[key, search] as const];
  });
  if (specs.length === 0) return undefined;
  return {
    name: hostedToolSearchName,
    description: 'Tool search of the provider, which finds deferred tools.',
    providerSpecs: Object.fromEntries(specs),
  };
}
