import type { CommandReach, CommandSpec, OptionSpec } from './command.ts';

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
