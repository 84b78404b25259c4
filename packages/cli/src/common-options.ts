import type { CommandReach, CommandSpec, OptionSpec } from './command.ts';

const json: OptionSpec = { flags: '--json', description: 'print JSON' };
const config: OptionSpec = {
  flags: '--config <file>',
  description: 'configuration; else RAVI_CONFIG, else ravi.config.{json,ts} here, else defaults',
};
const server: OptionSpec = {
  flags: '--server <url>',
  description: 'a running server, with the token of RAVI_TOKEN; else RAVI_SERVER, else in this process',
};

const byReach: Readonly<Record<CommandReach, readonly OptionSpec[]>> = {
  api: [server, config, json],
  configuration: [config, json],
  none: [json],
};

/** Every option of a command, those included that it shares with others. */
export function optionsOf({ options = [], reach }: CommandSpec): readonly OptionSpec[] {
  return [...options, ...byReach[reach]];
}
