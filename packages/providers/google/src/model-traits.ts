/** Capabilities of a model. */
export interface ModelTraits {
  /** True if the model rejects the first call of a response without its signature. */
  readonly checksSignatures: boolean;
  /**
   * True if the model accepts hosted tools together with functions, an output schema together with functions, and media
   * in results.
   */
  readonly mixes: boolean;
  /** Unit of the thinking parameter: a token budget, a level, or none. */
  readonly thinking: 'none' | 'budget' | 'level';
  /** True if thinking cannot be disabled. */
  readonly alwaysThinks: boolean;
}

/**
 * Returns the traits of a model by its name, `gemini-2.5-flash` or `models/gemini-3-pro-preview`. A name without a
 * version counts as the newest.
 */
export function traitsOf(model: string): ModelTraits {
  const [, major = '3', minor = '0'] = /gemini-(\d+)(?:\.(\d+))?/u.exec(model) ?? [];
  const version = Number(major) * 100 + Number(minor);
  const isThird = version >= 300;
  return {
    checksSignatures: isThird,
    mixes: isThird,
    thinking: isThird ? 'level' : version >= 205 ? 'budget' : 'none',
    alwaysThinks: /-pro(?:-|$)/u.test(model),
  };
}
