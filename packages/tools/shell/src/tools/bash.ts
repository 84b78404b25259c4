import { defineTool, isKernelError, KernelError } from '@ravi/kernel';
import type { RiskAssessment, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { checkWorkFolder, openWorkFolder } from '@ravi/tools-kit';
import type { WorkFolder } from '@ravi/tools-kit';
import { runCommand } from '../commands/run-command.ts';
import { inTurn, timeOf } from '../commands/workspace-turn.ts';
import type { CommandTime } from '../commands/workspace-turn.ts';
import { classifyCommand } from '../risk/classify-command.ts';
import { commandOutputSchema, commandResult, defaultTimeoutMs, sharedArguments } from './shell-parts.ts';
import type { ShellParts } from './shell-parts.ts';

const maxCommandLength = 100_000;
const readPath = '/usr/bin:/bin';

/** Documentation of the tools that run scripts. */
export const commandDocumentation = `Runs a Bash script in the workspace and waits until it ends.

- \`output\` has standard output and standard error in their order. The text of the result shows the beginning and
  the end of a long one. Above 64 KiB \`output\` has both as well, and \`artifact\` all of it.
- In one workspace the commands run one after the other. The wait counts towards the time limit.
- A status other than 0 is data: look at \`exitCode\`. After the time limit it is null and \`timedOut\` is true.
- When the script ends, at its time limit, and when the call is cancelled, every process that it started is ended, also in the background:
  a server that has to run on needs a background job.
- The environment has no secrets of the server, no terminal and no colours. There is no input but \`stdin\`.
- Each call is a new shell: variables and the folder do not carry over. Use \`cwd\`.

Risk: the script is parsed. What cannot be undone (\`rm -r\`, \`git push\`, \`sudo\`, \`curl … | sh\`, disks and devices) is critical, anything else
high.`;

/** Form of a tool that runs commands. */
export interface CommandToolForm {
  readonly name: string;
  readonly description: string;
  readonly promptHint: string;
  readonly documentation: string;
  readonly mode: 'direct' | 'background';
  /** Time limit of a call that names none. */
  readonly defaultMs: number;
  readonly maxMs: number;
}

/** Creates the tool `bash`, which runs a script and waits for its end. */
export function createBashTool(parts: ShellParts): Tool {
  return createCommandTool(parts, {
    name: 'bash',
    description:
      'Runs a Bash script in the workspace and returns its output and exit code. Ends everything that the script started.',
    promptHint: 'bash runs commands; prefer the tools for files and search where one does the same.',
    documentation: commandDocumentation,
    mode: 'direct',
    defaultMs: defaultTimeoutMs,
    maxMs: parts.maxTimeoutMs,
  });
}

/** Creates a tool that runs a Bash script; `bash` and `bash_background` differ in how their caller waits. */
export function createCommandTool(parts: ShellParts, form: CommandToolForm): Tool {
  const { cwd, timeoutMs, stdin } = sharedArguments(form.maxMs, form.defaultMs);
  const isSafe = (command: string): boolean =>
    parts.safeCommands && form.mode === 'direct' && classifyCommand(command).risk === 'safe';
  return defineTool({
    name: form.name,
    description: form.description,
    promptHint: form.promptHint,
    // `classifyRisk` can only raise it: this is the risk of a command that only reads.
    risk: parts.safeCommands && form.mode === 'direct' ? 'safe' : 'high',
    mode: form.mode,
    managesOwnTimeout: true,
    retry: false,
    documentation: () => form.documentation,
    inputSchema: {
      type: 'object',
      properties: {
        command: {
          type: 'string',
          minLength: 1,
          maxLength: maxCommandLength,
          description: 'Script, as Bash reads it.',
        },
        cwd,
        timeoutMs,
        stdin,
      },
      required: ['command'],
      additionalProperties: false,
    },
    outputSchema: commandOutputSchema,
    classifyRisk({ command, cwd: folder }): RiskAssessment {
      const { risk, summary } = classifyCommand(command);
      return {
        risk,
        summary: folder === undefined ? summary : `${summary}, in the folder ${JSON.stringify(folder.slice(0, 100))}`,
      };
    },
    checkCall({ cwd: path }, context) {
      checkWorkFolder(parts.workspaceOf(context), path);
    },
    async execute({ command, cwd: path, timeoutMs: ms = Math.min(form.defaultMs, form.maxMs), stdin: input }, context) {
      if (command.includes('\0')) {
        throw new KernelError('E_ARGUMENTS_INVALID', 'The command has a NUL character', { hadNoEffect: true });
      }
      const workspace = parts.workspaceOf(context);
      const reads = isSafe(command);
      const run = async (time: CommandTime): Promise<ToolExecutionResult> => {
        using folder = openWorkFolder(workspace, path);
        const environment = reads ? checkReads(parts, { command, folder, context }) : undefined;
        const argv = ['bash', '--noprofile', '--norc', '-c', command];
        const ended = await runCommand(
          parts.settings,
          { argv, folder, timeoutMs: time.leftMs, stdin: input, environment },
          context,
        );
        return commandResult(ended, time, context);
      };
      // Those that read do not wait for each other.
      if (form.mode === 'background' || reads) return run(timeOf(ms));
      return inTurn({ kind: form.name, workspace, timeoutMs: ms }, context, run);
    },
  });
}

interface SafeCommand {
  readonly command: string;
  readonly folder: WorkFolder;
  readonly context: ToolContext;
}

// No person has seen it: it must not read what is outside through a link, nor start a program of the workspace under a known name.
function checkReads(parts: ShellParts, { command, folder, context }: SafeCommand): Readonly<Record<string, string>> {
  const workspace = parts.workspaceOf(context);
  for (const path of classifyCommand(command).reads) {
    try {
      workspace.locate(`${folder.name}/${path}`)[Symbol.dispose]();
    } catch (error) {
      // What does not exist is left to the command, which says so. After any other error it is unknown where the path leads.
      if (!isKernelError(error) || error.code !== 'E_FILE_NOT_FOUND') throw error;
    }
  }
  return { PATH: readPath };
}
