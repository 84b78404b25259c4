import type { SandboxLanguage } from '@ravi/kernel';
import type { Bait } from './bait.ts';
import type { HostileClass } from './hostile-case.ts';

/** Attacks in one language, and normal scripts to compare with. */
export interface HostileDialect {
  readonly language: SandboxLanguage;
  readonly classes: readonly HostileClass[];
  /** The prelude that gives a script `call` and the attacker's tools. */
  prelude(bait: Bait): string;
  /**
   * A script that calls `ready` before it runs `code`, with the name of its namespace of processes (namespaces(7)) where
   * it can tell.
   */
  announced(code: string): string;
  /** Gives `{ all, own }`: what three calls echoed of `index`, `2 * index` and `3 * index`, and what others left (null). */
  normal(index: number): string;
  /** Scripts that any working sandbox runs well. */
  readonly controls: {
    /** Gives what the call `echo` answers to `text`. */
    readonly call: string;
    /** Gives name and message of the error of a call. */
    readonly error: string;
    /** Gives `{ list: [1, 'two', null] }`. */
    readonly value: string;
    /** Writes `text 1`, and `bad` as an error. */
    readonly console: string;
  };
  /** Generates a script. Absent if the language has written attacks only. */
  generate?(seed: number): string;
}
