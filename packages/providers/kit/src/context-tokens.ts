/** Size of the context of models. */
interface ContextRule {
  /** Matches names of models, also with the prefix of a cloud or a gateway. */
  readonly model: RegExp;
  readonly tokens: number;
  readonly source: string;
}

const openAi = 'https://platform.openai.com/docs/models';

// The first rule that matches decides. Where a request may be shorter than the context, its longest request is given.
const rules: readonly ContextRule[] = [
  {
    model: /claude-(?:instant|2\.0)/u,
    tokens: 100_000,
    source: 'https://docs.anthropic.com/en/docs/about-claude/models/overview',
  },
  // A million tokens need a header, or a newer model: set `contextTokens`.
  { model: /claude/u, tokens: 200_000, source: 'https://docs.claude.com/en/docs/build-with-claude/context-windows' },
  { model: /gemini-.*image/u, tokens: 32_768, source: 'https://ai.google.dev/gemini-api/docs/models' },
  {
    model: /gemini-(?:1\.5|[2-9])/u,
    tokens: 1_048_576,
    source: 'https://ai.google.dev/gemini-api/docs/models',
  },
  { model: /gpt-5.*chat/u, tokens: 128_000, source: openAi },
  { model: /gpt-5/u, tokens: 272_000, source: openAi },
  { model: /gpt-4\.1/u, tokens: 1_047_576, source: openAi },
  { model: /gpt-4(?:o|-turbo|\.5|-1106|-0125)/u, tokens: 128_000, source: openAi },
  { model: /gpt-4-32k/u, tokens: 32_768, source: openAi },
  { model: /gpt-4/u, tokens: 8_192, source: openAi },
  { model: /gpt-3\.5-turbo/u, tokens: 16_385, source: openAi },
  { model: /(?:^|\/)o1-(?:mini|preview)/u, tokens: 128_000, source: openAi },
  { model: /(?:^|\/)o[134](?:-|$)/u, tokens: 200_000, source: openAi },
  {
    model: /deepseek-(?:chat|reasoner)/u,
    tokens: 128_000,
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
  },
];

/** Returns the tokens that a request to a model may have together with the response; `undefined` for an unknown model. */
export function contextTokensOf(model: string): number | undefined {
  return rules.find((rule) => rule.model.test(model))?.tokens;
}
