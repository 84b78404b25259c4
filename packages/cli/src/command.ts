import type { ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** An argument of a command. */
export interface ArgumentSpec {
  /** Key in `values` of the invocation. */
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** True for the last argument, if it takes all words that are left; its key is in `lists`. */
  readonly isVariadic?: boolean;
  readonly choices?: readonly string[];
}

/** An option of a command. */
export interface OptionSpec {
  /** `--limit <number>`, or `--yes` for one without a value. */
  readonly flags: string;
  readonly description: string;
  /** True if it may be given several times; its values are in `lists`. */
  readonly isRepeatable?: boolean;
  readonly choices?: readonly string[];
}

/** Target of a command: a server or an installation in this process, a configuration, or none. */
export type CommandReach = 'api' | 'configuration' | 'none';

/** A command as help, completion and README describe it, with a function that loads its body. */
export interface CommandSpec {
  /** `runs ls` */
  readonly path: string;
  readonly summary: string;
  readonly reach: CommandReach;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Imports the body on demand: the runtime takes longer to load than a help text to print. */
  readonly load: () => Promise<CommandBody>;
}

/** Parsed command line. */
export interface Invocation {
  /** Arguments and options with a value, by name; `--run-id` is `runId`. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Values of arguments and options that take several, by name. */
  readonly lists: Readonly<Record<string, readonly string[] | undefined>>;
  /** Options without a value that were given, by name. */
  readonly flags: ReadonlySet<string>;
  /** True if the result is printed as JSON. */
  readonly isJson: boolean;
}

/** Runs a command; 0 when it returns no exit code. @throws KernelError for an error that the user can fix */
export type CommandBody = (invocation: Invocation, terminal: Terminal) => Promise<ExitCode | void>;

const json: OptionSpec = { flags: '--json', description: 'print JSON' };
const config: OptionSpec = {
  flags: '--config <file>',
  description: 'configuration file (default: RAVI_CONFIG, else ravi.config.{json,ts} in this folder)',
};
const server: OptionSpec = {
  flags: '--server <url>',
  description: 'address of a server (default: RAVI_SERVER, else run in this process); the token is RAVI_TOKEN',
};

const byReach: Readonly<Record<CommandReach, readonly OptionSpec[]>> = {
  api: [server, config, json],
  configuration: [config, json],
  none: [json],
};

/** Returns every option of a command, including those it shares with others. */
export function optionsOf({ options = [], reach }: CommandSpec): readonly OptionSpec[] {
  return [...options, ...byReach[reach]];
}
