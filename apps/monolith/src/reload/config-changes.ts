import type { ResolvedConfig } from '@ravi/host';
import { fixedAgentFields, fixedPolicyField, liveKeys } from './live-config.ts';
import { isDeepStrictEqual } from 'node:util';

/** Difference between two configurations, as places such as `server.port`. */
export interface ConfigChanges {
  /** Places whose new values have an effect at once. */
  readonly changed: readonly string[];
  /** Places whose new values need a restart. */
  readonly needsRestart: readonly string[];
}

/** Returns what a new configuration changes. */
export function configChanges(before: ResolvedConfig, after: ResolvedConfig): ConfigChanges {
  const [earlier, later] = [withoutToolRoles(before), withoutToolRoles(after)];
  const places = Object.keys(later).flatMap((key) => placesOf(key, fieldOf(earlier, key), fieldOf(later, key)));
  return { changed: places.filter(isLive), needsRestart: places.filter((place) => !isLive(place)) };
}

// These are compared where they are applied.
function withoutToolRoles(config: ResolvedConfig): object {
  const { tokens, ...server } = config.server;
  const withoutRole = tokens.map((token) => Object.entries(token).filter(([key]) => key !== 'toolRole'));
  return { ...config, server: { ...server, tokens: withoutRole } };
}

// One level below the first: entries of "agents" and fields of all others.
function placesOf(key: string, before: unknown, after: unknown): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [key];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields]
    .filter((field) => !isDeepStrictEqual(fieldOf(before, field), fieldOf(after, field)))
    .map((field) => `${key}.${field}`);
}

function isLive(place: string): boolean {
  const [key = '', field = ''] = place.split('.');
  if (key === 'agent' && fixedAgentFields.some((fixed) => fixed === field)) return false;
  if (key === 'policy' && field === fixedPolicyField) return false;
  return liveKeys.some((live) => live === key);
}

function fieldOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
