import type { SchemaCounts, StrictRules } from '@ravi/provider-kit';

/**
 * Source: `lib/transform-json-schema.js` of the npm package @anthropic-ai/sdk 1.10.0, and observed requests: the API
 * rejects circular references and untyped values.
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
 * Returns true if all strict tools of one request are within the limits of the API. It rejects 21 tools, 25 optional
 * properties, and 16 unions in one schema, though it accepts 16 across several.
 */
export function fitsStrict(total: { readonly tools: number } & Pick<SchemaCounts, 'optional' | 'unions'>): boolean {
  return total.tools <= 20 && total.optional <= 24 && total.unions <= 8;
}
