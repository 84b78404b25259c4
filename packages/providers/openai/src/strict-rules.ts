import type { StrictRules } from '@ravi/provider-kit';

const forbidden: readonly string[] = [
  'allOf not oneOf if then else dependentRequired dependentSchemas dependencies patternProperties prefixItems',
  'propertyNames uniqueItems contains minContains maxContains minProperties maxProperties unevaluatedProperties',
  'unevaluatedItems additionalItems $anchor $dynamicRef $dynamicAnchor $recursiveRef contentEncoding contentMediaType',
  'nullable',
].flatMap((line) => line.split(' '));

/**
 * Source: `lib/transform.js` of the npm package openai 7.55.0 and the limits of OpenAI's guide to structured outputs.
 */
export const openAiStrictRules: StrictRules = {
  forbidden: new Set(forbidden),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  allRequired: true,
  recursion: true,
  emptyObjects: false,
  maxProperties: 5000,
  maxDepth: 10,
  maxEnumValues: 1000,
  maxNameChars: 120_000,
};

/** Source: DeepSeek's guide to strict mode, which its `/beta` address has. */
export const deepSeekStrictRules: StrictRules = {
  ...openAiStrictRules,
  forbidden: new Set([...forbidden, 'minLength', 'maxLength', 'minItems', 'maxItems']),
  formats: new Set(['email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  mixedTypes: false,
  referencesInAnyOf: false,
};
