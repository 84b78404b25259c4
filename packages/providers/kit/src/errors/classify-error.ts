import { isJsonObject } from '../wire.ts';
import { errorRules } from './error-rules.ts';
import type { ErrorRule } from './error-rules.ts';

/** Facts of an error by which it is classified. */
export interface ErrorFacts {
  /** HTTP status; `undefined` for an error inside a stream that names none. */
  readonly status: number | undefined;
  /** Codes and types of the provider. Numbers among them are statuses and do not count. */
  readonly codes: readonly string[];
  readonly message: string;
  /** True if the provider says when, or whether, to retry. */
  readonly isHinted: boolean;
}

/** Returns the first rule of `errorRules` that applies; the last one always does. */
export function classifyError(facts: ErrorFacts): ErrorRule {
  const codes = facts.codes.filter((code) => code !== '' && !/^\d+$/u.test(code));
  const rule = errorRules.find((each) => applies(each, { ...facts, codes })) ?? errorRules.at(-1);
  return rule as ErrorRule;
}

function applies({ status, code, message, hint }: ErrorRule, facts: ErrorFacts): boolean {
  if (status !== undefined && !status.split(' ').some((pattern) => isStatus(pattern, facts.status))) return false;
  if (hint === 'present' && !facts.isHinted) return false;
  if (hint === 'absent' && (facts.isHinted || facts.codes.length > 0)) return false;
  if (code === undefined && message === undefined) return true;
  return facts.codes.some((each) => code?.test(each) === true) || message?.test(facts.message) === true;
}

function isStatus(pattern: string, status: number | undefined): boolean {
  if (status === undefined) return pattern === 'none';
  return pattern.endsWith('xx') ? Math.floor(status / 100) === Number(pattern[0]) : Number(pattern) === status;
}

const statusFields = ['status', 'status_code', 'code', 'http_status'];

/** Returns the HTTP status that an error names in its own body, also as text; `undefined` if there is none. */
export function statusIn(error: unknown): number | undefined {
  if (!isJsonObject(error)) return undefined;
  const numbers = statusFields.map((field) => Number(error[field] ?? Number.NaN));
  return numbers.find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}
