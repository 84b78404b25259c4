import type { Tool } from '@modelcontextprotocol/server';
import type { ToolSummary } from '@ravi/api';
import type { ToolCaller } from '@ravi/kernel';

/** `code`: the client runs scripts over all tools. `tools`: it calls them one by one. */
export type ServerMode = 'code' | 'tools';

/** Tools of the server itself, by their purpose. */
export type OwnTool = 'execute' | 'search' | 'describe' | 'resume' | 'status';

/** A tool as a client sees it, and what a call of it does. */
export type OfferedTool = (
  | { readonly kind: 'own'; readonly own: OwnTool }
  /** `isBackground`: agents do not wait for it, so a client gets a task at once if it has tasks. */
  | {
      readonly kind: 'direct';
      readonly isBackground: boolean;
      /** False for a tool that scripts may not call: its calls have no run. */
      readonly hasRun: boolean;
    }
) & {
  readonly listed: Tool;
  /** True if a call of it can be a task. */
  readonly canBeTask: boolean;
};

const builtIn = 'built-in';
const scriptTool = 'tool_chain';

const text = { type: 'string' } as const;
const runId = { ...text, minLength: 1, maxLength: 200 } as const;

const own: Readonly<Record<OwnTool, Omit<Tool, 'name'>>> = {
  execute: {
    title: 'Run a script',
    description: 'Runs a TypeScript or JavaScript script that calls tools as functions: await tools.name(args).',
    inputSchema: objectOf({ code: { ...text, description: 'The script' } }, ['code']),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  search: {
    title: 'Find tools',
    description:
      'Finds tools that scripts can call by what they do, best first: give the task in a few words. An empty query lists all tools, ' +
      'name_* those whose names start with name_.',
    inputSchema: objectOf(
      {
        query: { ...text, maxLength: 500 },
        limit: { type: 'integer', minimum: 1, maximum: 20 },
        page: { type: 'integer', minimum: 1 },
      },
      ['query'],
    ),
    annotations: { readOnlyHint: true },
  },
  describe: {
    title: 'Describe a tool',
    description: 'Gives the type declaration and the documentation of one tool, to read before a script calls it.',
    inputSchema: objectOf({ name: { ...text, maxLength: 128 }, page: { type: 'integer', minimum: 1 } }, ['name']),
    annotations: { readOnlyHint: true },
  },
  resume: {
    title: 'Resume a run',
    description:
      'Continues a run that was paused or interrupted and gives its result, also of one that has ended. Finished calls are not repeated.',
    inputSchema: objectOf({ run_id: runId }, ['run_id']),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
  status: {
    title: 'Show runs',
    description: 'Shows the state of a run with its calls and open approvals; without run_id, the newest runs.',
    inputSchema: objectOf({ run_id: runId }, []),
    annotations: { readOnlyHint: true },
  },
};

const modes: Readonly<Record<ServerMode, readonly OwnTool[]>> = {
  code: ['execute', 'search', 'describe', 'resume', 'status'],
  tools: ['resume', 'status'],
};

/** Returns the tools that a client sees, by name, in the order of the list. */
export function offeredTools(mode: ServerMode, installed: readonly ToolSummary[]): ReadonlyMap<string, OfferedTool> {
  const direct = mode === 'tools' ? installed.filter(isOffered) : [];
  const taken = new Set(direct.map(({ name }) => name));
  const offered = new Map<string, OfferedTool>();
  for (const name of modes[mode]) {
    const chain = name === 'execute' ? installed.find(isScriptTool) : undefined;
    const shown = chain === undefined ? own[name] : executeOf(chain);
    const listed = { name: freeName(name, taken), ...shown };
    offered.set(listed.name, { kind: 'own', own: name, listed, canBeTask: name === 'execute' });
  }
  for (const tool of direct) {
    const isBackground = tool.mode === 'background';
    const hasRun = allows(tool, 'chain');
    offered.set(tool.name, { kind: 'direct', isBackground, hasRun, listed: listedTool(tool), canBeTask: hasRun });
  }
  return offered;
}

// An installed tool keeps its name.
function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`ravi_${name}`, taken) : name;
}

/** Returns the name under which a tool of the server itself is offered. */
export function nameOf(wanted: OwnTool, offered: ReadonlyMap<string, OfferedTool>): string {
  for (const [name, tool] of offered) if (tool.kind === 'own' && tool.own === wanted) return name;
  return wanted;
}

// The rules of scripts, their languages and an overview of the tools, as agents of this installation read them.
function executeOf({ description, inputSchema = {} }: ToolSummary): Omit<Tool, 'name'> {
  const { language, approve } = (inputSchema['properties'] ?? {}) as Properties;
  if (language === undefined && approve === undefined) return { ...own.execute, description };
  const { properties = {}, required = [] } = own.execute.inputSchema;
  return {
    ...own.execute,
    description,
    inputSchema: objectOf({ ...properties, ...(language && { language }), ...(approve && { approve }) }, required),
  };
}

function isScriptTool({ name, source }: ToolSummary): boolean {
  return name === scriptTool && source === builtIn;
}

// A client that calls tools one by one is a direct caller.
function isOffered(tool: ToolSummary): boolean {
  const { kind, source, inputSchema } = tool;
  return kind === 'local' && source !== builtIn && inputSchema !== undefined && allows(tool, 'direct');
}

function allows({ allowedCallers }: ToolSummary, caller: ToolCaller): boolean {
  return allowedCallers?.includes(caller) ?? true;
}

// Without its output schema: a result that is too large becomes a link, which does not match it.
function listedTool({ name, description, inputSchema, risk, isRiskFixed }: ToolSummary): Tool {
  // A client may run a tool that only reads without asking, with any arguments.
  const isSafe = risk === 'safe' && isRiskFixed === true;
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    annotations: { readOnlyHint: isSafe, ...(isSafe ? {} : { destructiveHint: true }) },
  };
}

type Properties = NonNullable<Tool['inputSchema']['properties']>;

function objectOf(properties: Properties, required: string[]): Tool['inputSchema'] {
  return { type: 'object', properties, required, additionalProperties: false };
}
