import type { Tool } from '@ravi/kernel';
import { commandDocumentation, createCommandTool } from './bash.ts';
import type { ShellParts } from './shell-parts.ts';

const hourMs = 3_600_000;

const documentation = `Starts a Bash script as a job of the agent. The call returns the id of the job at once; the result comes as a message when the
script has ended. Stopping the job ends all its processes.

- It has one hour, or \`timeoutMs\` up to 24 hours. The job ends with the run of the agent.
- Without an agent, as in a call over HTTP, the call waits for the end.

For the script itself:

${commandDocumentation}`;

/** Creates the tool `bash_background`: `bash` as a job of the agent, for servers, watchers and long builds. */
export function createBashBackgroundTool(parts: ShellParts): Tool {
  return createCommandTool(parts, {
    name: 'bash_background',
    description:
      'Runs a Bash script as a background job: returns a job id at once, and the output as a message when it ends. Stopping the job ends all its processes.',
    promptHint: 'bash_background runs what takes long or does not end, such as a development server.',
    documentation,
    mode: 'background',
    defaultMs: hourMs,
    maxMs: 24 * hourMs,
  });
}
