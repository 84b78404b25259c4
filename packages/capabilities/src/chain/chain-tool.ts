import { notCallableFromChain } from '@ravi/kernel';
import type { SandboxLanguage, Tool, ToolRegistry } from '@ravi/kernel';
import { toolOverview } from '../discovery/tool-overview.ts';
import { scriptTools } from '../discovery/visible-tools.ts';
import { toolDeclarations } from '../declarations/tool-declarations.ts';
import type { ToolDeclarations } from '../declarations/tool-declarations.ts';
import { runScriptOfCall } from './call-script.ts';
import type { ScriptToolOptions } from './call-script.ts';
import type { ApproveMode } from './set/call-set.ts';

/** Options of {@link createToolChainTool}. */
export interface ToolChainToolOptions extends ScriptToolOptions {
  /** `tool_chain` when absent. */
  readonly name?: string;
  /**
   * Maximum tokens of the tools in the description, estimated from above; 2000 when absent. More tools than that are
   * listed by line, by name or by group, and the script searches for their declarations.
   */
  readonly maxToolTokens?: number;
  /** False for tools that the description must not name, because not every model that reads it may call them. A script finds them. */
  readonly shows?: (tool: string) => boolean;
}

const rules = `Runs a TypeScript or JavaScript script that calls tools as functions, so that several calls and the work between them take one step.

- The script is the body of an async function: use top-level await, and return the value you want to see. Return little: select, count or summarise in the script.
- await tools.name(args) takes one object of arguments, gives the tool's value and throws ToolError (ToolDeniedError, ToolTimeoutError, BudgetError) with status, code, retryable and retryAfterMs. await tools.name.safe(args) never throws and gives { status, value, text, error, files }.
- Independent calls run in parallel with Promise.all. Await every call: what still runs when the script ends is cancelled.
- A value too large for the script is an Artifact: pass it on as an argument of another tool at any depth, or read it with text(), json(), lines(), slice() or bytes().
- await artifacts.put(data, { name: 'report.csv', mediaType }) keeps text, bytes or a value as a file and gives its handle. return { files: [file] } shows you pictures and hands the files over.
- There is no import, require, fetch or file system; tools are the only way out. sleep(ms), setTimeout and console are there.
- When a script fails, the report lists the calls that have happened: do not repeat those that had their effect.

`;

const pythonRules = `With language "python" the script is Python, and these rules hold instead:

- tools.name(key=value) or tools["any-name"]({...}) waits and gives the tool's value: a dict, list, text or number that also has text, structured, ref, files and status. Failures raise ToolError; ToolDeniedError is a PermissionError too, ToolTimeoutError a TimeoutError. tools.name.safe(...) does not raise: look at status and error.
- Calls run at the same time in await asyncio.gather(tools.a(x=1), tools.b(y=2)); await works at the top.
- The value is that of return, of the last expression, or of the variable result. Return little.
- A value too large is an Artifact: pass it on as an argument, or use text(), json(), lines(), bytes(), path(). Files that tools make are at their path; files the script leaves in /workspace/out are kept, and so is artifacts.put(data, name="report.csv"), whose handle return {"files": [file]} hands over.
- The standard library is there, a network is not.

`;

const approveSchema = {
  enum: ['each', 'set'],
  description: 'set: after a dry run a person approves all calls that need it at once, for example those of a loop',
};

/**
 * Creates the tool with which a model runs a script. Its description lists the tools that a script may call when it is
 * added to a registry: add it after them. Each call of a script passes the invoker in a session of its own, below the
 * call of this tool. The time that people take to approve is charged to neither.
 */
export function createToolChainTool(options: ToolChainToolOptions): Tool & { readonly [notCallableFromChain]: true } {
  const { invoker, sandbox, name = 'tool_chain', maxToolTokens, shows } = options;
  const { languages } = sandbox.supports;
  return {
    name,
    get description() {
      const speaksPython = languages.includes('python');
      return (
        `${rules}${speaksPython ? pythonRules : ''}The tools:\n\n` +
        toolOverview(invoker.registry, maxToolTokens, shows)
      );
    },
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'The script' },
        ...(languages.every((language) => language === 'javascript')
          ? {}
          : { language: { enum: [...languages], description: `${languages[0]} when absent` } }),
        // Only a script that another process can continue waits for a set.
        ...(options.chains === undefined ? {} : { approve: approveSchema }),
      },
      required: ['code'],
      additionalProperties: false,
    },
    // Risk is checked for each call of the script.
    risk: 'safe',
    runAfterResponse: true,
    managesOwnTimeout: true,
    allowedCallers: ['direct'],
    [notCallableFromChain]: true,
    async execute(args, context) {
      const result = await runScriptOfCall(options, context, {
        code: args['code'] as string,
        language: (args['language'] ?? languages[0] ?? 'javascript') as SandboxLanguage,
        ...(args['approve'] === undefined ? {} : { approve: args['approve'] as ApproveMode }),
      });
      context.check();
      return { content: result.outputBlocks, isError: result.status !== 'ok' };
    },
  };
}

/** Returns the declarations of the tools of a registry that a script may call: local, not deferred, callable from scripts. */
export function chainToolDeclarations(
  registry: ToolRegistry,
  options: { readonly maxBytes?: number } = {},
): ToolDeclarations {
  return toolDeclarations(
    scriptTools(registry).filter((tool) => tool.deferLoading !== true),
    options,
  );
}
