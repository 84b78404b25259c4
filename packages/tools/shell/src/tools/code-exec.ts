import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { checkWorkFolder, openWorkFolder } from '@ravi/tools-kit';
import { runCommand } from '../commands/run-command.ts';
import { timeOf } from '../commands/workspace-turn.ts';
import { classifyPython } from '../risk/classify-python.ts';
import { commandOutputSchema, commandResult, defaultTimeoutMs, sharedArguments } from './shell-parts.ts';
import type { ShellParts } from './shell-parts.ts';

// The system takes at most 128 KiB as one argument.
const maxCodeBytes = 120_000;
const notFound = 127;

const documentation = `Runs Python source with the system's interpreter, in isolated mode (\`-I\`): no variables of the environment and no user
packages change it, and modules of the workspace are not imported unless the source adds their folder to \`sys.path\`.

- Print what you want to see; \`output\` has standard output and standard error in their order. \`args\` is \`sys.argv[1:]\`.
- A status other than 0 is data: look at \`exitCode\`.
- It is not a sandbox: the source can do what the user of the server can do. Every call needs approval, and source that names what
  deletes files or starts programs is critical.`;

/** Creates the tool `code_exec`, which runs Python source. */
export function createCodeExecTool(parts: ShellParts): Tool {
  return createPythonTool(parts, 'code_exec');
}

/** Creates the tool `python`: `code_exec` under the name that some models expect. */
export function createPythonAliasTool(parts: ShellParts): Tool {
  return createPythonTool(parts, 'python');
}

/** Creates a tool that runs Python source; `code_exec` and `python` differ in their names only. */
function createPythonTool(parts: ShellParts, name: string): Tool {
  const { cwd, timeoutMs, stdin } = sharedArguments(parts.maxTimeoutMs);
  return defineTool({
    name,
    description:
      "Runs Python source with the system's interpreter in the workspace, and returns its output and exit code.",
    promptHint: `${name} runs Python for calculations and for files that no other tool reads.`,
    risk: 'high',
    managesOwnTimeout: true,
    retry: false,
    documentation: () => documentation,
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', minLength: 1, maxLength: maxCodeBytes, description: 'Python source.' },
        args: {
          type: 'array',
          items: { type: 'string', maxLength: 10_000 },
          maxItems: 50,
          description: 'Arguments of the program.',
        },
        cwd,
        timeoutMs,
        stdin,
      },
      required: ['code'],
      additionalProperties: false,
    },
    outputSchema: commandOutputSchema,
    classifyRisk: ({ code }) => classifyPython(code),
    checkCall({ cwd: path }, context) {
      checkWorkFolder(parts.workspaceOf(context), path);
    },
    async execute(
      { code, args = [], cwd: path, timeoutMs: ms = Math.min(defaultTimeoutMs, parts.maxTimeoutMs), stdin: input },
      context,
    ) {
      if (Buffer.byteLength(code) > maxCodeBytes) throw invalid(`has more than ${maxCodeBytes} bytes`);
      if (`${code}${args.join('')}`.includes('\0')) throw invalid('has a NUL character');
      using folder = openWorkFolder(parts.workspaceOf(context), path);
      const argv = [parts.python, '-I', '-c', code, ...args];
      const environment = { PYTHONIOENCODING: 'utf-8' };
      const ended = await runCommand(
        parts.settings,
        { argv, folder, timeoutMs: ms, stdin: input, environment },
        context,
      );
      if (ended.exitCode === notFound && ended.output.text.includes('not found')) {
        throw new KernelError('E_PROGRAM_NOT_FOUND', `The program ${parts.python} is not installed`, {
          hadNoEffect: true,
        });
      }
      return commandResult(ended, timeOf(ms), context);
    },
  });
}

function invalid(reason: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', `The source ${reason}`, { hadNoEffect: true });
}
