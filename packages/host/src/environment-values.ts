import { KernelError } from '@ravi/kernel';
import type { ToolSource } from '@ravi/kernel';

/** Environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Place in the options of a plugin that takes its value from the environment: `{ "$env": "NAME", "prefix": "Bearer " }`. */
export interface EnvironmentValue {
  /** Name of the variable. */
  readonly $env: string;
  /** Text before the value; empty when absent. */
  readonly prefix?: string;
}

/** True for an {@link EnvironmentValue}. */
export function isEnvironmentValue(value: unknown): value is EnvironmentValue {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$env')) return false;
  const { $env, prefix = '', ...others } = value as Readonly<Record<string, unknown>>;
  return typeof $env === 'string' && typeof prefix === 'string' && Object.keys(others).length === 0;
}

/** Options with the values of the environment in place, and what is wrong with them. */
export interface CompletedOptions {
  readonly options: unknown;
  /** Places that are not written as they must be. */
  readonly mistakes: readonly string[];
  /** Variables that are not set or empty, each with its place and what to do. */
  readonly missing: readonly string[];
}

/** Replaces each {@link EnvironmentValue} of plain data. A variable that is missing or empty is reported with its place, which begins with `place`. */
export function withEnvironment(value: unknown, place: string, env: Environment): CompletedOptions {
  const mistakes: string[] = [];
  const missing: string[] = [];

  function replaced(from: unknown, at: string): unknown {
    if (typeof from !== 'object' || from === null) return from;
    if (isEnvironmentValue(from)) {
      const { $env: name, prefix = '' } = from;
      const found = env[name];
      if (found !== undefined && found !== '') return `${prefix}${found}`;
      missing.push(`set the environment variable ${name}, named at ${at}`);
      return '';
    }
    if (Object.hasOwn(from, '$env')) {
      mistakes.push(`${at} must be { "$env": "NAME" }, with an optional "prefix"`);
      return from;
    }
    if (Array.isArray(from)) return from.map((each, index) => replaced(each, `${at}[${index}]`));
    return Object.fromEntries(Object.entries(from).map(([name, field]) => [name, replaced(field, `${at}.${name}`)]));
  }

  return { options: replaced(value, place), mistakes, missing };
}

/**
 * Returns a tool source whose options name variables that are not set. The process starts without its tools and reports it as
 * failed; the variables of a process do not change, so only a restart helps.
 */
export function sourceWithoutVariables(name: string, missing: readonly string[]): ToolSource {
  return {
    name,
    async open() {
      throw new KernelError('E_SOURCE_UNAVAILABLE', `${missing.join('; ')}; then restart`);
    },
  };
}
