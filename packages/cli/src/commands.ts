import { approvalModes } from './approve.ts';
import { mcpCommands } from './mcp-commands.ts';
import { messageCommands } from './message-commands.ts';
import { portTemplates } from './new-adapter/ports.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.ts';
import { triggerCommands } from './trigger-commands.ts';

const approveOption: OptionSpec = {
  flags: '--approve <mode>',
  description: 'approve every call (auto), ask at the terminal (cli), or deny every call (deny)',
  choices: approvalModes,
};
const pageOptions: readonly OptionSpec[] = [
  { flags: '--limit <number>', description: 'entries per page (default: 50)' },
  { flags: '--cursor <cursor>', description: 'cursor from the previous page' },
];
const ofRun: OptionSpec = { flags: '--run <run>', description: 'only of this run' };
const script: ArgumentSpec = { name: 'file', description: 'TypeScript, JavaScript or Python, - for standard input' };
const run: ArgumentSpec = { name: 'run', description: 'id of the run' };
const approval: ArgumentSpec = { name: 'approval', description: 'id of the approval' };
const tool: ArgumentSpec = { name: 'tool', description: 'name of the tool' };

/** Every command of `ravi`, in the order of its help. Help, completion and README come from here. */
export const commands: readonly CommandSpec[] = [
  {
    path: 'init',
    summary: 'write a configuration, a tool, a skill and a test; existing files are kept',
    reach: 'none',
    arguments: [{ name: 'folder', description: 'folder to write to (default: this folder)', isOptional: true }],
    options: [
      { flags: '--name <name>', description: 'name of the package' },
      { flags: '--yes', description: 'accept the defaults without asking' },
    ],
    load: async () => (await import('./commands/generate.ts')).initProject,
  },
  {
    path: 'serve',
    summary: 'serve the console and the HTTP API',
    reach: 'configuration',
    options: [
      { flags: '--host <address>', description: 'address to listen on; an address other than loopback needs tokens' },
      { flags: '--port <number>', description: 'port to listen on; 0 picks a free port' },
      { flags: '--adopt-state', description: 'accept a state database or digest key that differs from earlier starts' },
    ],
    load: async () => (await import('./commands/serve.ts')).serveHere,
  },
  {
    path: 'dev',
    summary: 'serve, show each call, and read tools, skills and the configuration again when they change',
    reach: 'configuration',
    options: [
      { flags: '--host <address>', description: 'address to listen on; an address other than loopback needs tokens' },
      { flags: '--port <number>', description: 'port to listen on; 0 picks a free port' },
      { flags: '--no-open', description: 'do not open the console in a browser' },
    ],
    load: async () => (await import('./commands/dev.ts')).develop,
  },
  {
    path: 'run',
    summary: 'give an agent a task and show what it does',
    reach: 'api',
    arguments: [{ name: 'task', description: 'the task' }],
    options: [
      approveOption,
      { flags: '--agent <agent>', description: 'name of the agent (default: that of the server)' },
      { flags: '--session <session>', description: 'conversation to continue' },
    ],
    load: async () => (await import('./commands/run.ts')).runTask,
  },
  {
    path: 'agents',
    summary: 'list the agents with their models, tools and delegates',
    reach: 'api',
    load: async () => (await import('./commands/agents.ts')).listAgents,
  },
  {
    path: 'budgets',
    summary: 'list the limits of the day and of runs, with what is used of them',
    reach: 'api',
    load: async () => (await import('./commands/budgets.ts')).listBudgets,
  },
  {
    path: 'skills',
    summary: 'list the skills, kits and tool skills with the agents that see them',
    reach: 'api',
    load: async () => (await import('./commands/skills.ts')).listSkills,
  },
  {
    path: 'workspaces ls',
    summary: 'list the workspaces with their folders, tools, skills and agents',
    reach: 'api',
    load: async () => (await import('./commands/workspaces.ts')).listWorkspaces,
  },
  {
    path: 'workspaces load',
    summary: 'load the tools and skills of a workspace at a server',
    reach: 'api',
    arguments: [{ name: 'name', description: 'name of the workspace' }],
    load: async () => (await import('./commands/workspaces.ts')).loadWorkspace,
  },
  {
    path: 'workspaces unload',
    summary: 'remove the tools and skills of a workspace from a server',
    reach: 'api',
    arguments: [{ name: 'name', description: 'name of the workspace' }],
    load: async () => (await import('./commands/workspaces.ts')).unloadWorkspace,
  },
  {
    path: 'processes',
    summary: 'list the processes that share the state store, alive and dead',
    reach: 'api',
    options: pageOptions,
    load: async () => (await import('./commands/processes.ts')).listProcesses,
  },
  {
    path: 'queue',
    summary: 'count the runs that wait for a server, by principal, and those that the server executes',
    reach: 'api',
    load: async () => (await import('./commands/queue.ts')).showQueue,
  },
  {
    path: 'reload',
    summary: 'read files that have changed again, without a restart',
    reach: 'api',
    load: async () => (await import('./commands/reload.ts')).reloadServer,
  },
  {
    path: 'chain run',
    summary: 'run a script and print its result',
    reach: 'api',
    arguments: [script],
    options: [
      approveOption,
      { flags: '--together', description: 'ask once for all calls that need approval, after a dry run of the script' },
    ],
    load: async () => (await import('./commands/chain-run.ts')).runChainFile,
  },
  {
    path: 'chain check',
    summary: 'check a script without running it',
    reach: 'api',
    arguments: [script],
    load: async () => (await import('./commands/chain-check.ts')).checkChainFile,
  },
  {
    path: 'chain save',
    summary: 'save a script that succeeds as a tool',
    reach: 'api',
    arguments: [
      { name: 'name', description: 'name of the tool' },
      { ...script, isOptional: true },
    ],
    options: [
      { flags: '--description <text>', description: 'description for the model' },
      { flags: '--run <run>', description: 'a run that succeeded, instead of a file' },
      approveOption,
    ],
    load: async () => (await import('./commands/chain-save.ts')).saveChain,
  },
  {
    path: 'tools list',
    summary: 'list the tools with their risk',
    reach: 'api',
    options: [
      { flags: '--query <words>', description: 'only tools whose name or description contains the words' },
      { flags: '--risk <risk>', description: 'only tools of this risk', choices: ['safe', 'high', 'critical'] },
    ],
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
    summary: 'call a tool through the invoker and all its gates',
    reach: 'api',
    arguments: [tool, { name: 'args', description: 'a JSON object, @file, or - for standard input', isOptional: true }],
    options: [approveOption],
    load: async () => (await import('./commands/tools.ts')).callTool,
  },
  {
    path: 'approvals ls',
    summary: 'list approvals that wait for a decision',
    reach: 'api',
    options: [
      {
        flags: '--status <status>',
        description: 'filter by status (default: undecided, which is pending or parked)',
        choices: ['undecided', 'pending', 'parked', 'approved', 'denied', 'expired', 'consumed', 'withdrawn', 'all'],
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
    summary: 'approve a call, after showing its arguments and asking',
    reach: 'api',
    arguments: [approval],
    options: [
      {
        flags: '--scope <scope>',
        description: 'run: also approve later calls of the tool in this run',
        choices: ['once', 'run'],
      },
      {
        flags: '--args <json>',
        description: 'run the call with these arguments: JSON, @file, or - for standard input',
      },
      { flags: '--reason <text>', description: 'reason for the audit log' },
      { flags: '--yes', description: 'approve without being asked; required without a terminal' },
    ],
    load: async () => (await import('./commands/approvals.ts')).approve,
  },
  {
    path: 'approvals answer',
    summary: 'answer a request for input of a running call',
    reach: 'api',
    arguments: [approval],
    options: [
      { flags: '--content <json>', description: 'answer to a form: JSON, @file, or - for standard input' },
      { flags: '--done', description: 'the page was visited' },
    ],
    load: async () => (await import('./commands/approvals.ts')).answer,
  },
  {
    path: 'approvals deny',
    summary: 'deny a call, or decline a request for input',
    reach: 'api',
    arguments: [approval],
    options: [{ flags: '--reason <text>', description: 'reason, shown to the model' }],
    load: async () => (await import('./commands/approvals.ts')).deny,
  },
  {
    path: 'runs ls',
    summary: 'list runs, newest first',
    reach: 'api',
    options: [
      {
        flags: '--status <status>',
        description: 'only runs with this status',
        choices: ['running', 'paused', 'blocked', 'completed', 'failed', 'cancelled'],
      },
      { flags: '--kind <kind>', description: 'only runs of this kind', choices: ['agent', 'chain'] },
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
    summary: 'stream the events of a run until it ends or pauses',
    reach: 'api',
    arguments: [run],
    load: async () => (await import('./commands/runs.ts')).tailRun,
  },
  {
    path: 'runs resume',
    summary: 'resume a paused run',
    reach: 'api',
    arguments: [run],
    options: [
      {
        flags: '--answer <text>',
        description: 'answer to the question of the agent; to several, a JSON object of answers by their ids',
      },
      approveOption,
    ],
    load: async () => (await import('./commands/runs.ts')).resumeRun,
  },
  {
    path: 'runs retry',
    summary: 'offer a blocked run to all servers again',
    reach: 'api',
    arguments: [run],
    load: async () => (await import('./commands/runs.ts')).retryRun,
  },
  {
    path: 'runs input',
    summary: 'send text to a running or paused agent',
    reach: 'api',
    arguments: [run, { name: 'text', description: 'what the agent reads before its next request to the model' }],
    load: async () => (await import('./commands/runs.ts')).sendInput,
  },
  {
    path: 'runs cancel',
    summary: 'cancel a run',
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
    options: [{ flags: '--output <file>', description: 'file to write, or a folder for a file of its own name' }],
    load: async () => (await import('./commands/artifacts.ts')).getArtifact,
  },
  {
    path: 'artifacts put',
    summary: 'store a file as an artifact of a session, for its runs and calls',
    reach: 'api',
    arguments: [{ name: 'file', description: 'file to store, - for standard input' }],
    options: [
      {
        flags: '--type <media type>',
        description: 'media type (default: that of the extension, else application/octet-stream)',
      },
      { flags: '--name <name>', description: 'name of the file (default: that of the file)' },
      { flags: '--session <session>', description: 'session that can use it (default: a new one)' },
    ],
    load: async () => (await import('./commands/artifacts.ts')).putArtifact,
  },
  ...messageCommands(pageOptions),
  ...triggerCommands(pageOptions),
  ...mcpCommands,
  {
    path: 'whoami',
    summary: 'show the principal and roles of the caller',
    reach: 'api',
    load: async () => (await import('./commands/whoami.ts')).showCaller,
  },
  {
    path: 'doctor',
    summary: 'check Node, configuration, plugins, store and sandbox, or a server and its adapters',
    reach: 'api',
    load: async () => (await import('./commands/doctor.ts')).runDoctor,
  },
  {
    path: 'config show',
    summary: 'print the effective configuration without fields named like secrets',
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
      { name: 'port', description: 'port of the adapter', choices: Object.keys(portTemplates) },
      { name: 'name', description: 'name in lower case, for example azure' },
    ],
    load: async () => (await import('./commands/generate.ts')).newAdapter,
  },
  {
    path: 'completion',
    summary: 'print the completion script of a shell',
    reach: 'none',
    arguments: [{ name: 'shell', description: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    load: async () => (await import('./commands/completion.ts')).printCompletion,
  },
];

/** Summaries of the groups of commands, by their first word. */
export const groupSummaries: Readonly<Record<string, string>> = {
  chain: 'scripts that call tools',
  tools: 'tools of the installation',
  approvals: 'calls that need a decision',
  runs: 'agent and script runs',
  artifacts: 'stored results of runs',
  channels: 'stored messages between agents, people and programs',
  memories: 'what agents remember about you',
  mcp: 'clients and servers of the Model Context Protocol',
  config: 'the configuration',
};
