import { commonNameRules, createToolPreparer } from '@ravi/provider-kit';
import type { StrictMode } from '@ravi/provider-kit';
import { dialects } from '../src/dialect.ts';
import type { DialectName } from '../src/dialect.ts';
import type { WireSettings } from '../src/index.ts';

/** Returns encoder settings as the provider creates them. */
export function settingsFor(name: DialectName, mode: StrictMode = 'auto', model = 'test-model'): WireSettings {
  const dialect = dialects[name];
  const { strict, maxTools } = dialect;
  return {
    id: 'openai',
    model,
    dialect,
    stream: true,
    store: false,
    prepareTools: createToolPreparer({ names: commonNameRules, strict, mode, maxTools }),
  };
}
