export { jsonTextExcess, jsonValueExcess, messageLimits } from './json-limits.ts';
export type { JsonLimits } from './json-limits.ts';
export { createRiskRule } from './risk-rule.ts';
export type { RiskHints, RiskRule, RiskRuleOptions } from './risk-rule.ts';
export { nameTools, toolNameOf } from './tool-name.ts';
export type { NamedTools } from './tool-name.ts';
export { createToolFilter, createToolMatcher } from './tool-pattern.ts';
export type { PatternSource, ToolFilterOptions } from './tool-pattern.ts';
