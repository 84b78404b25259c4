/** Capabilities of a model. */
export interface ModelTraits {
  /** True for Anthropic's models, which check signatures; other models write none. */
  readonly isClaude: boolean;
  /** `manual` thinks with a budget, `adaptive` decides on its own, `either` supports both, `none` does not think. */
  readonly thinking: 'none' | 'manual' | 'either' | 'adaptive';
  /** True if the model accepts `temperature`, `top_p` and `top_k`. */
  readonly sampling: boolean;
  /** True if the API enforces tool and output schemas for the model. */
  readonly schemas: boolean;
  /** Default of `max_tokens`, which a request must have. */
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

/**
 * Returns the traits of a model by its name: `claude-opus-4-6`, `claude-3-5-sonnet-20241022`, also with a cloud prefix.
 */
export function traitsOf(model: string): ModelTraits {
  if (!model.includes('claude')) return compatible;
  const found = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d))?(?!\d)/u.exec(model);
  // A model without a version number is newer than the known ones.
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
