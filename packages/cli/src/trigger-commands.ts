import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.ts';

const trigger: ArgumentSpec = { name: 'trigger', description: 'id of the trigger' };
const kinds: readonly string[] = ['timer', 'schedule', 'channel'];

/** Returns the commands of `ravi triggers`, in the order of its help. */
export function triggerCommands(pageOptions: readonly OptionSpec[]): readonly CommandSpec[] {
  return [
    {
      path: 'triggers ls',
      summary: 'list timers, schedules and watched channels, newest first',
      reach: 'api',
      options: [
        {
          flags: '--status <status>',
          description: 'only triggers with this status',
          choices: ['active', 'ended', 'cancelled'],
        },
        { flags: '--kind <kind>', description: 'only triggers of this kind', choices: kinds },
        ...pageOptions,
      ],
      load: async () => (await import('./commands/triggers.ts')).listTriggers,
    },
    {
      path: 'triggers show',
      summary: 'show a trigger with its latest runs and its permissions',
      reach: 'api',
      arguments: [trigger],
      load: async () => (await import('./commands/triggers.ts')).showTrigger,
    },
    {
      path: 'triggers add',
      summary: 'start runs of an agent at a time, on a schedule, or for messages in a channel',
      reach: 'api',
      arguments: [{ name: 'task', description: 'task of the runs' }],
      options: [
        { flags: '--in <time>', description: 'time from now, for example 90s, 10m, 2h or 1d' },
        { flags: '--at <time>', description: 'time with its zone, for example 2026-12-24T18:00+01:00' },
        { flags: '--every <time>', description: 'time between two runs, for example 1h' },
        { flags: '--cron <expression>', description: 'minute, hour, day of month, month and day of week' },
        { flags: '--time-zone <zone>', description: 'IANA zone of --cron, for example Europe/Berlin (default: UTC)' },
        { flags: '--channel <channel>', description: 'name of the channel to watch' },
        { flags: '--agent <agent>', description: 'name of the agent (default: that of the server)' },
        { flags: '--session <session>', description: 'conversation that the runs continue' },
        {
          flags: '--misfire <policy>',
          description: 'for due times that no server saw: one run for all (default), none, or one for each',
          choices: ['once', 'skip', 'all'],
        },
      ],
      load: async () => (await import('./commands/triggers.ts')).addTrigger,
    },
    {
      path: 'triggers cancel',
      summary: 'cancel a trigger; runs that it has started continue',
      reach: 'api',
      arguments: [trigger],
      load: async () => (await import('./commands/triggers.ts')).cancelTrigger,
    },
  ];
}
