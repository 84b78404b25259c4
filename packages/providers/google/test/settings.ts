import { toolPreparerFor } from '../src/google-provider.ts';
import type { WireSettings } from '../src/index.ts';

/** Returns encoder settings as the provider creates them. */
export function settingsFor(model: string, options: Partial<WireSettings> = {}): WireSettings {
  const { schemas = 'json' } = options;
  return {
    id: 'google',
    model,
    isVertex: false,
    strict: 'auto',
    schemas,
    prepareTools: toolPreparerFor(schemas),
    ...options,
  };
}
