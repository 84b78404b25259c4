import type { SchemaCounts, StrictRules } from '@ravi/provider-kit';

/**
 * Source: `lib/transform-json-schema.js` of the npm package @anthropic-ai/sdk 1.10.0, and requests that were accepted and
 * refused: a reference in a circle, a place that takes anything.
 */
export const anthropicStrictRules: StrictRules = {
  forbidden: new Set(
    (
      'not oneOf if then else dependentRequired dependentSchemas dependencies patternProperties prefixItems ' +
      'propertyNames uniqueItems contains minContains maxContains minProperties maxProperties ' +
      'unevaluatedProperties unevaluatedItems additionalItems minimum maximum exclusiveMinimum ' +
      'exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems nullable $anchor ' +
      '$dynamicRef $dynamicAnchor $recursiveRef contentEncoding contentMediaType'
    ).split(' '),
  ),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
  allRequired: false,
  recursion: false,
  emptyObjects: true,
  mixedTypes: false,
  maxProperties: 500,
  maxDepth: 10,
  maxEnumValues: 500,
  maxNameChars: 20_000,
};

/**
 * What all strict tools of one request may hold: 21 tools and 25 optional properties are refused, and so are 16 unions in
 * one schema, while 16 in several are accepted.
 */
export function fitsStrict(total: { readonly tools: number } & Pick<SchemaCounts, 'optional' | 'unions'>): boolean {
  return total.tools <= 20 && total.optional <= 24 && total.unions <= 8;
}
