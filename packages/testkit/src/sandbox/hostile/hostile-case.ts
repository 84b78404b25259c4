import type { SandboxLimit, SandboxLimits, SandboxOutcome } from '@ravi/kernel';

/** A script of somebody who means harm, and what it must come to. */
export interface HostileCase {
  readonly name: string;
  /** The script. Beside `call` it has the attacker's tools of `attackPrelude`. */
  readonly code: string;
  /** The endings that are right; `['ok']` when absent, so that a script that breaks off early counts for nothing. */
  readonly ends?: readonly SandboxOutcome['status'][];
  /** The limits of which it must meet one; its message must name the limit's value. */
  readonly meets?: readonly SandboxLimit[];
  /** Limits of this case alone. */
  readonly limits?: Partial<SandboxLimits>;
  /** JSON of the value that it must return. */
  readonly value?: string;
  /** Whether it need not begin: where it is no script, it is to fail. */
  readonly mayNotBegin?: boolean;
  /** How many calls must have reached the host. */
  readonly calls?: number;
}

/** Cases that try the same way. An adapter without isolation is spared those that escape. */
export interface HostileClass {
  readonly name: string;
  readonly kind: 'escape' | 'resource';
  readonly cases: readonly HostileCase[];
}

/** A case that looks for the host behind whatever `expression` gives. */
export function hunting(name: string, expression: string, before = ''): HostileCase {
  return { name, code: `${before}\nreturn hunt(${expression})`, value: '[]' };
}
