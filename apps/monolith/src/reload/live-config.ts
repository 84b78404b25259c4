import type { ResolvedConfig } from '@ravi/host';

/** A configuration that a reload replaces while its readers keep the same object. */
export interface LiveConfig {
  /** Its keys return the current values. A reader that copies one keeps the value of that moment. */
  readonly config: ResolvedConfig;
  replace(next: ResolvedConfig): void;
}

/** Creates a live configuration. */
export function createLiveConfig(initial: ResolvedConfig): LiveConfig {
  let current: Readonly<Record<string, unknown>> = { ...initial };
  const config = {};
  for (const key of Object.keys(initial)) {
    Object.defineProperty(config, key, { enumerable: true, get: () => current[key] });
  }
  return {
    config: config as ResolvedConfig,
    replace(next) {
      current = { ...next };
    },
  };
}
