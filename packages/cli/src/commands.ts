import { approvalModes } from './approve.ts';
import { portTemplates } from './new-adapter/ports.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.ts';

const approveOption: OptionSpec = {
  flags: '--approve <mode>',
  description: 'who approves: everything (auto), the terminal (cli) or nobody (deny)',
  choices: approvalModes,
};
const pageOptions: readonly OptionSpec[] = [
  { flags: '--limit <number>', description: 'entries of a page, 50 by default' },
  { flags: '--cursor <cursor>', description: 'where the page before ended' },
];
const ofRun: OptionSpec = { flags: '--run <run>', description: 'of this run alone' };
const script: ArgumentSpec = { name: 'file', description: 'TypeScript, JavaScript or Python, - for standard input' };
const run: ArgumentSpec = { name: 'run', description: 'id of the run' };
const approval: ArgumentSpec = { name: 'approval', description: 'id of the approval' };
const tool: ArgumentSpec = { name: 'tool', description: 'name of the tool' };

/** Every command of `ravi`, in the order of its help. Help, completion and README come from here. */
export const commands: readonly CommandSpec[] = [
  {
    path: 'init',
    summary: 'write a configuration, a tool, a skill and a test, and leave what is there as it is',
    reach: 'none',
    arguments: [{ name: 'folder', description: 'where to write, this folder when absent', isOptional: true }],
    options: [
      { flags: '--name <name>', description: 'of the package' },
      { flags: '--yes', description: 'ask nothing' },
    ],
    load: async () => (await import('./commands/init.ts')).initProject,
  },
  {
    path: 'serve',
    summary: 'serve the console and the HTTP interface',
    reach: 'configuration',
    options: [
      { flags: '--host <address>', description: 'address to listen on; other than loopback only with tokens' },
      { flags: '--port <number>', description: 'port to listen on, 0 picks a free one' },
    ],
    load: async () => (await import('./commands/serve.ts')).serveHere,
  },
  {
    path: 'run',
    summary: 'give the agent a task and show what it does',
    reach: 'api',
    arguments: [{ name: 'task', description: 'what it shall do' }],
    options: [approveOption, { flags: '--session <session>', description: 'conversation that it belongs to' }],
    load: async () => (await import('./commands/run.ts')).runTask,
  },
  {
    path: 'chain run',
    summary: 'run a script and print what it returns',
    reach: 'api',
    arguments: [script],
    options: [approveOption],
    load: async () => (await import('./commands/chain-run.ts')).runChainFile,
  },
  {
    path: 'chain check',
    summary: 'say what is certain to go wrong in a script, without running it',
    reach: 'api',
    arguments: [script],
    load: async () => (await import('./commands/chain-check.ts')).checkChainFile,
  },
  {
    path: 'chain save',
    summary: 'save a script that runs well as a tool',
    reach: 'api',
    arguments: [
      { name: 'name', description: 'what the tool is called' },
      { ...script, isOptional: true },
    ],
    options: [
      { flags: '--description <text>', description: 'what it does, for the model' },
      { flags: '--run <run>', description: 'a script that ran well already, instead of a file' },
      approveOption,
    ],
    load: async () => (await import('./commands/chain-save.ts')).saveChain,
  },
  {
    path: 'tools list',
    summary: 'list the tools with their risk',
    reach: 'api',
    options: [{ flags: '--query <words>', description: 'those whose name or description contains the words' }],
    load: async () => (await import('./commands/tools.ts')).listTools,
  },
  {
    path: 'tools describe',
    summary: 'show one tool with its schemas',
    reach: 'api',
    arguments: [tool],
    load: async () => (await import('./commands/tools.ts')).describeTool,
  },
  {
    path: 'tools call',
    summary: 'call a tool through the invoker, every gate included',
    reach: 'api',
    arguments: [tool, { name: 'args', description: 'a JSON object, @file, or - for standard input', isOptional: true }],
    options: [approveOption],
    load: async () => (await import('./commands/tools.ts')).callTool,
  },
  {
    path: 'approvals ls',
    summary: 'list the approvals that wait',
    reach: 'api',
    options: [
      {
        flags: '--status <status>',
        description: 'others than those that wait',
        choices: ['pending', 'approved', 'denied', 'expired', 'consumed', 'all'],
      },
      ofRun,
      ...pageOptions,
    ],
    load: async () => (await import('./commands/approvals.ts')).listApprovals,
  },
  {
    path: 'approvals show',
    summary: 'show one approval with its arguments',
    reach: 'api',
    arguments: [approval],
    load: async () => (await import('./commands/approvals.ts')).showApproval,
  },
  {
    path: 'approvals approve',
    summary: 'say yes to a call',
    reach: 'api',
    arguments: [approval],
    options: [
      {
        flags: '--scope <scope>',
        description: 'also for later calls of the tool in its run',
        choices: ['once', 'run'],
      },
      { flags: '--args <json>', description: 'call it with these arguments instead: JSON, @file, or -' },
      { flags: '--reason <text>', description: 'for the record' },
    ],
    load: async () => (await import('./commands/approvals.ts')).approve,
  },
  {
    path: 'approvals deny',
    summary: 'say no to a call',
    reach: 'api',
    arguments: [approval],
    options: [{ flags: '--reason <text>', description: 'reaches the model' }],
    load: async () => (await import('./commands/approvals.ts')).deny,
  },
  {
    path: 'runs ls',
    summary: 'list runs, newest first',
    reach: 'api',
    options: [
      {
        flags: '--status <status>',
        description: 'with this status alone',
        choices: ['running', 'paused', 'completed', 'failed', 'cancelled'],
      },
      { flags: '--kind <kind>', description: 'of this kind alone', choices: ['agent', 'chain'] },
      ...pageOptions,
    ],
    load: async () => (await import('./commands/runs.ts')).listRuns,
  },
  {
    path: 'runs show',
    summary: 'show a run with its calls, artifacts and open questions',
    reach: 'api',
    arguments: [run],
    load: async () => (await import('./commands/runs.ts')).showRun,
  },
  {
    path: 'runs tail',
    summary: 'tell what a run does until it is over or paused',
    reach: 'api',
    arguments: [run],
    load: async () => (await import('./commands/runs.ts')).tailRun,
  },
  {
    path: 'runs resume',
    summary: 'go on with a run that is paused',
    reach: 'api',
    arguments: [run],
    options: [{ flags: '--answer <text>', description: 'what the agent asked for' }, approveOption],
    load: async () => (await import('./commands/runs.ts')).resumeRun,
  },
  {
    path: 'runs cancel',
    summary: 'end a run for good',
    reach: 'api',
    arguments: [run],
    load: async () => (await import('./commands/runs.ts')).cancelRun,
  },
  {
    path: 'artifacts ls',
    summary: 'list the artifacts of the newest runs',
    reach: 'api',
    options: [ofRun, ...pageOptions],
    load: async () => (await import('./commands/artifacts.ts')).listArtifacts,
  },
  {
    path: 'artifacts get',
    summary: 'write an artifact to standard output or a new file',
    reach: 'api',
    arguments: [{ name: 'artifact', description: 'ref of the artifact' }],
    options: [{ flags: '--output <file>', description: 'file to write' }],
    load: async () => (await import('./commands/artifacts.ts')).getArtifact,
  },
  {
    path: 'doctor',
    summary: 'check Node, configuration, plugins, store and sandbox',
    reach: 'configuration',
    load: async () => (await import('./commands/doctor.ts')).examine,
  },
  {
    path: 'config show',
    summary: 'print the configuration that holds, secrets left out',
    reach: 'configuration',
    load: async () => (await import('./commands/config.ts')).showConfig,
  },
  {
    path: 'config schema',
    summary: 'print the JSON Schema of a configuration',
    reach: 'none',
    load: async () => (await import('./commands/config.ts')).showConfigSchema,
  },
  {
    path: 'new-adapter',
    summary: 'write a package with an adapter that passes the contract suite of its port',
    reach: 'none',
    arguments: [
      { name: 'port', description: 'what it plugs into', choices: Object.keys(portTemplates) },
      { name: 'name', description: 'its name in lower case, like azure' },
    ],
    load: async () => (await import('./commands/new-adapter.ts')).newAdapter,
  },
  {
    path: 'completion',
    summary: 'print the completion script of a shell',
    reach: 'none',
    arguments: [{ name: 'shell', description: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    load: async () => (await import('./commands/completion.ts')).printCompletion,
  },
];

/** What the first word of several commands is about. */
export const groupSummaries: Readonly<Record<string, string>> = {
  chain: 'scripts that call tools',
  tools: 'the tools there are',
  approvals: 'calls that wait for somebody',
  runs: 'what the agent and scripts did and do',
  artifacts: 'what runs have stored',
  config: 'the configuration',
};
