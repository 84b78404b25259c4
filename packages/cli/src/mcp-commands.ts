import type { ArgumentSpec, CommandSpec } from './command.ts';

const server: ArgumentSpec = { name: 'name', description: 'name of the server' };

/** The commands of `ravi mcp`, in the order of its help: servers whose tools Ravi uses, and Ravi as a server. */
export const mcpCommands: readonly CommandSpec[] = [
  {
    path: 'mcp add',
    summary: 'add an MCP server to the configuration',
    reach: 'configuration',
    arguments: [
      server,
      { name: 'program', description: 'address of the server, or its command after --', isVariadic: true },
    ],
    options: [
      { flags: '--env <variable>', description: 'NAME passes a variable on, NAME=value sets it', isRepeatable: true },
      {
        flags: '--header <header>',
        description: "Name=value, sent with each request; 'Name=Bearer ${VARIABLE}' reads the environment",
        isRepeatable: true,
      },
      { flags: '--transport <transport>', description: 'transport of an address', choices: ['auto', 'http', 'sse'] },
      { flags: '--sign-in', description: 'callers sign in at the server for themselves' },
      { flags: '--trust', description: 'believe what the server says about the risk of its tools' },
      { flags: '--allow <pattern>', description: 'offer only these tools, for example get_*', isRepeatable: true },
      { flags: '--deny <pattern>', description: 'do not offer these tools', isRepeatable: true },
    ],
    load: async () => (await import('./commands/mcp-servers.ts')).addServer,
  },
  {
    path: 'mcp ls',
    summary: 'list the MCP servers with their state and tools',
    reach: 'api',
    load: async () => (await import('./commands/mcp-sources.ts')).listServers,
  },
  {
    path: 'mcp accept',
    summary: 'show the new or changed definition of a tool, and accept it after asking',
    reach: 'api',
    arguments: [{ name: 'tool', description: 'name of the tool, or of a server for all its new and changed tools' }],
    options: [
      { flags: '--all', description: 'the name is a server: decide about everything that waits there' },
      { flags: '--reject', description: 'reject it instead' },
      { flags: '--yes', description: 'decide without being asked; required without a terminal' },
    ],
    load: async () => (await import('./commands/mcp-sources.ts')).decideDefinition,
  },
  {
    path: 'mcp login',
    summary: 'sign in at an MCP server, in a browser',
    reach: 'api',
    arguments: [server],
    load: async () => (await import('./commands/mcp-sources.ts')).signIn,
  },
  {
    path: 'mcp logout',
    summary: 'forget the credentials of the caller at an MCP server',
    reach: 'api',
    arguments: [server],
    load: async () => (await import('./commands/mcp-sources.ts')).signOut,
  },
  {
    path: 'mcp trust',
    summary: 'believe what an MCP server says about the risk of its tools',
    reach: 'configuration',
    arguments: [server],
    options: [{ flags: '--off', description: 'believe it no longer' }],
    load: async () => (await import('./commands/mcp-servers.ts')).trustServer,
  },
  {
    path: 'mcp remove',
    summary: 'remove an MCP server from the configuration',
    reach: 'configuration',
    arguments: [server],
    load: async () => (await import('./commands/mcp-servers.ts')).removeServer,
  },
  {
    path: 'mcp serve',
    summary: 'serve the tools to a client of the Model Context Protocol over standard input and output',
    reach: 'api',
    options: [
      {
        flags: '--mode <mode>',
        description: 'run scripts over all tools (code, default), or call them one by one (tools)',
        choices: ['code', 'tools'],
      },
      { flags: '--http', description: 'listen for HTTP at /mcp instead, like ravi serve' },
      { flags: '--host <address>', description: 'with --http: address to listen on' },
      { flags: '--port <number>', description: 'with --http: port to listen on; 0 picks a free port' },
    ],
    load: async () => (await import('./commands/mcp-serve.ts')).serveMcp,
  },
];
