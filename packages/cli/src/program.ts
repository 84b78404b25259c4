import { readFileSync } from 'node:fs';
import { Argument, Command, CommanderError, Option } from 'commander';
import { isKernelError } from '@ravi/kernel';
import { approvalModes } from './approve.ts';
import type { ChainRunOptions } from './commands/chain-run.ts';
import type { DoctorOptions } from './commands/doctor.ts';
import type { ToolsOptions } from './commands/tools.ts';
import { exitCode, exitCodeOfError } from './exit-code.ts';
import type { ExitCode } from './exit-code.ts';
import { processTerminal } from './terminal.ts';
import type { Terminal } from './terminal.ts';

const exitCodeHelp = `
Exit codes: 0 ok, 1 the script, a tool or a check failed, 2 wrong usage or configuration, 3 ended by a denied call,
130 cancelled.`;

/**
 * Runs one command line (without node and script) and gives the exit code. Nothing is thrown for what a user can mend:
 * it is a line on standard error, or `{ "error": { code, message } }` on standard output with `--json`.
 */
export async function runCommandLine(args: readonly string[], terminal: Terminal = processTerminal): Promise<ExitCode> {
  let ended: ExitCode = exitCode.ok;
  const program = createProgram(terminal, (code) => (ended = code));
  try {
    await program.parseAsync(args, { from: 'user' });
    return ended;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (!isKernelError(error)) throw error;
    const { code, message } = error;
    if (args.includes('--json')) terminal.print(JSON.stringify({ error: { code, message } }));
    else terminal.warn(`${code}: ${message}`);
    return exitCodeOfError(code);
  }
}

// A command is imported when it runs: the runtime behind it takes longer to load than a help text to print.
function createProgram(terminal: Terminal, end: (code: ExitCode) => void): Command {
  const { description, version } = readManifest();
  const program = new Command('ravi')
    .description(description)
    .version(version)
    .exitOverride()
    .addHelpText('after', exitCodeHelp);
  const config = (): Option =>
    new Option('--config <file>', 'configuration; else RAVI_CONFIG, else ravi.config.{json,ts} here, else defaults');
  const json = (): Option => new Option('--json', 'print JSON');

  program
    .command('chain')
    .description('scripts that call tools')
    .command('run')
    .description('run a script and print what it returns')
    .addArgument(new Argument('<file>', 'TypeScript or JavaScript, - for standard input'))
    .addOption(config())
    .addOption(new Option('--approve <mode>', 'who approves instead of the configured handler').choices(approvalModes))
    .addOption(json())
    .action(async (file: string, options: ChainRunOptions) => {
      const { runChainFile } = await import('./commands/chain-run.ts');
      end(await runChainFile(file, options, terminal));
    });

  const tools = program.command('tools').description('the tools of an installation');
  tools
    .command('list')
    .description('list every tool with its risk')
    .addOption(config())
    .addOption(json())
    .action(async (options: ToolsOptions) => {
      const { listTools } = await import('./commands/tools.ts');
      end(await listTools(options, terminal));
    });
  tools
    .command('describe')
    .description('show one tool with its schemas')
    .argument('<name>')
    .addOption(config())
    .addOption(json())
    .action(async (name: string, options: ToolsOptions) => {
      const { describeTool } = await import('./commands/tools.ts');
      end(await describeTool(name, options, terminal));
    });

  program
    .command('doctor')
    .description('check Node, configuration, plugins, store and sandbox')
    .addOption(config())
    .addOption(json())
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('./commands/doctor.ts');
      end(await examine(options, terminal));
    });
  return program;
}

// The same place from `src` and from `dist`.
function readManifest(): { readonly description: string; readonly version: string } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}
