import type { ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** A word that a command takes by its place. */
export interface ArgumentSpec {
  /** As the body of the command finds it in `values`. */
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  readonly choices?: readonly string[];
}

/** A word that a command takes by its name. */
export interface OptionSpec {
  /** `--limit <number>`, or `--yes` for one without a value. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
}

/** What a command works on: a server or an installation opened in this process, a configuration, or nothing. */
export type CommandReach = 'api' | 'configuration' | 'none';

/** One command: what help, completion and README say of it, and where its body is. */
export interface CommandSpec {
  /** `runs ls` */
  readonly path: string;
  readonly summary: string;
  readonly reach: CommandReach;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Imports the body: the runtime behind it takes longer to load than a help text to print. */
  readonly load: () => Promise<CommandBody>;
}

/** What somebody typed. */
export interface Invocation {
  /** Arguments and options with a value, by name; `--run-id` is `runId`. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Options without a value that were given, by name. */
  readonly flags: ReadonlySet<string>;
  /** Whether the result is printed as JSON. */
  readonly isJson: boolean;
}

/** Runs a command; 0 when it returns no exit code. @throws KernelError for what its user can mend */
export type CommandBody = (invocation: Invocation, terminal: Terminal) => Promise<ExitCode | void>;
