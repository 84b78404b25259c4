import type { SandboxLimit, SandboxLimits, SandboxOutcome } from '@ravi/kernel';

/** Script of an attacker, with its expected outcome. */
export interface HostileCase {
  readonly name: string;
  /** The script. In addition to `call` it has the attacker's tools of `attackPrelude`. */
  readonly code: string;
  /** The endings that are right; `['ok']` when absent, so that a script that breaks off early counts for nothing. */
  readonly ends?: readonly SandboxOutcome['status'][];
  /** The limits of which it must meet one; its message must name the limit's value. */
  readonly meets?: readonly SandboxLimit[];
  /** Limits of this case alone. */
  readonly limits?: Partial<SandboxLimits>;
  /** JSON of the value that it must return. */
  readonly value?: string;
  /** True if it need not start: a text that is not a script must fail. */
  readonly mayNotBegin?: boolean;
  /** More ways in which it may end in an interpreter without an operating system below it, where it has nothing to end. */
  readonly endsWithoutSystem?: readonly SandboxOutcome['status'][];
  /** True if its value says something about the files of the operating system only. */
  readonly ofSystem?: boolean;
  /** Number of calls that must have reached the host. */
  readonly calls?: number;
}

/** Cases that try the same way. An adapter without isolation is spared those that escape. */
export interface HostileClass {
  readonly name: string;
  readonly kind: 'escape' | 'resource';
  readonly cases: readonly HostileCase[];
}

/** Returns a case that searches for the host, starting from the value of `expression`. */
export function hunting(name: string, expression: string, before = ''): HostileCase {
  return { name, code: `${before}\nreturn hunt(${expression})`, value: '[]' };
}
