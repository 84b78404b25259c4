/** What a model takes of a request. */
export interface ModelTraits {
  /** Refuses the first call of an answer without the signature that it came with. */
  readonly checksSignatures: boolean;
  /** Takes hosted tools beside functions, a schema for the answer beside functions, and media in results. */
  readonly mixes: boolean;
  /** How it is told how much to think: in tokens, in steps, or not at all. */
  readonly thinking: 'none' | 'budget' | 'level';
  /** Always thinks at least a little. */
  readonly alwaysThinks: boolean;
}

/** Told from the name, `gemini-2.5-flash` or `models/gemini-3-pro-preview`. One without a number is taken for the newest. */
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
