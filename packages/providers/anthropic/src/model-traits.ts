/** What a model takes of a request. */
export interface ModelTraits {
  /** Models of Anthropic check signatures; others that speak the protocol write none. */
  readonly isClaude: boolean;
  /** `manual` thinks by a budget, `adaptive` as it likes, `either` both ways, `none` not at all. */
  readonly thinking: 'none' | 'manual' | 'either' | 'adaptive';
  /** Takes `temperature`, `top_p` and `top_k`. */
  readonly sampling: boolean;
  /** Enforces schemas, of tools and of the answer. */
  readonly schemas: boolean;
  /** What is asked for when nobody says how much; a request without it is refused. */
  readonly maxOutputTokens: number;
}

const compatible: ModelTraits = {
  isClaude: false,
  thinking: 'manual',
  sampling: true,
  schemas: false,
  maxOutputTokens: 8192,
};
const newest: ModelTraits = {
  isClaude: true,
  thinking: 'adaptive',
  sampling: false,
  schemas: true,
  maxOutputTokens: 32_000,
};

/** Told from the name: `claude-opus-4-6`, `claude-3-5-sonnet-20241022`, also behind the prefix of a cloud. */
export function traitsOf(model: string): ModelTraits {
  if (!model.includes('claude')) return compatible;
  const found = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d))?(?!\d)/u.exec(model);
  // A model without a number is newer than those that are known here.
  if (found === null) return model.includes('claude-instant') ? versioned(200) : newest;
  return versioned(Number(found[1]) * 100 + Number(found[2] ?? 0));
}

function versioned(version: number): ModelTraits {
  if (version < 305) return { ...newest, thinking: 'none', sampling: true, schemas: false, maxOutputTokens: 4096 };
  if (version < 307) return { ...newest, thinking: 'none', sampling: true, schemas: false, maxOutputTokens: 8192 };
  if (version < 406) return { ...newest, thinking: 'manual', sampling: true, schemas: version > 400 };
  if (version === 406) return { ...newest, thinking: 'either', sampling: true };
  return newest;
}
