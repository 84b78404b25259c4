import type { ServerScript } from '../scripted-server.ts';

/** Expected behaviour of a source with a hostile server. */
export interface Expected {
  /**
   * `works`: the call succeeds in spite of everything. `refused`: the call fails with `error`. `absent`: the server has no tool
   * `work`, and the status or a failure says `error`.
   */
  readonly outcome: 'works' | 'refused' | 'absent';
  /** Part of the message that explains it. */
  readonly error?: RegExp;
  /** Names of tools that may be offered; default: `work` for `works` and `refused`, none for `absent`. */
  readonly tools?: readonly string[];
  /** Part of the text of a result that works. */
  readonly text?: RegExp;
  /** Answer of the person, if the server asks; default: none. */
  readonly answer?: 'accept' | 'decline';
}

/** A hostile server and what becomes of it. */
export interface HostileCase extends ServerScript {
  readonly title: string;
  readonly expected: Expected;
  /** Default: both. */
  readonly only?: 'stdio' | 'http';
  /** Milliseconds of a call; short for servers that hang. */
  readonly callMs?: number;
  /** Milliseconds to connect; short for servers that hang. */
  readonly connectMs?: number;
}

/** Returns a case whose calls are answered by `reply`. */
export function onCall(
  title: string,
  reply: NonNullable<ServerScript['on']>[string],
  expected: Expected,
  more: Partial<HostileCase> = {},
): HostileCase {
  return { title, expected, on: { 'tools/call': reply }, ...more };
}

/** Returns a case whose list of tools is `tools`, after the honest tool `work`. */
export function onList(title: string, tools: () => readonly unknown[], expected: Expected): HostileCase {
  return { title, expected, tools };
}
