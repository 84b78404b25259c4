import { KernelError } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import { Argument, Command, CommanderError, Option } from 'commander';
import { commandErrorOf, printError } from './command-error.ts';
import { optionsOf } from './command.ts';
import type { CommandSpec, Invocation } from './command.ts';
import { commands, groupSummaries } from './commands.ts';
import { exitCode, exitCodeMeanings, exitCodeOfError } from './exit-code.ts';
import type { ExitCode } from './exit-code.ts';
import { printFault, printUncaught } from './faults.ts';
import { readManifest } from './manifest.ts';
import { createProcessTerminal } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs one command line (without node and script) and returns the exit code. An error that the user can fix is not thrown:
 * it is a line on standard error, or `{ "error": { code, message } }` on standard output with `--json`.
 */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal = createProcessTerminal(),
): Promise<ExitCode> {
  let ended: ExitCode = exitCode.ok;
  const program = createProgram(terminal, (code) => (ended = code));
  const isJson = args.includes('--json');
  try {
    refuseUnknownCommand(program, args);
    await program.parseAsync(args, { from: 'user' });
    return ended;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCode.ok;
      // Without a command it has shown the help already.
      if (error.code !== 'commander.help') {
        printError({ code: 'E_USAGE', message: usageMessage(error, args) }, isJson, terminal);
      }
      return exitCode.usage;
    }
    const failure = commandErrorOf(error);
    if (failure === undefined) throw error;
    printError(failure, isJson, terminal);
    return exitCodeOfError(failure.code);
  }
}

/** Runs the command line as the main program: prints every fault, sets the exit code and ends the process. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const isJson = args.includes('--json');
  const terminal = createProcessTerminal();
  // A server takes charge of its own, and has a log.
  if (args[0] !== 'serve') printUncaught(isJson, terminal);
  try {
    process.exitCode = await runCommandLine(args, terminal);
  } catch (error) {
    printFault(error, isJson, terminal);
    process.exitCode = exitCode.failed;
  }
  // A handle that a plugin left open must not keep the process alive; what was printed must still arrive.
  process.stdout.write('', () => process.exit());
}

function usageMessage({ code, message }: CommanderError, args: readonly string[]): string {
  const text = message.replace(/^error: /, '');
  const isCommand =
    code === 'commander.unknownOption' && args[0] === 'mcp' && args[1] === 'add' && !args.includes('--');
  return isCommand ? `${text.split('\n')[0]}; options of the server's command follow "--"` : text;
}

function createProgram(terminal: Terminal, end: (code: ExitCode) => void): Command {
  const { description, version } = readManifest();
  const meanings = [...exitCodeMeanings].map(([code, meaning]) => `  ${String(code).padEnd(5)} ${meaning}`);
  const program = new Command('ravi')
    .description(description)
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.write(text), outputError: () => {} })
    .addHelpText('after', `\nExit codes:\n${meanings.join('\n')}`);
  for (const spec of commands) {
    const words = spec.path.split(' ');
    const name = words.pop() ?? '';
    const parent = words.reduce(groupOf, program);
    addCommand(parent.command(name), spec, terminal, end);
  }
  return program;
}

// Commander shows the help of the nearest known command, and reports success, when `--help` follows an unknown one.
function refuseUnknownCommand(program: Command, args: readonly string[]): void {
  let command = program;
  for (const word of args) {
    if (word.startsWith('-')) continue;
    if (command.commands.length === 0 || word === 'help') return;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      const near = nearNames(
        word,
        command.commands.map((each) => each.name()),
      );
      const hint =
        near.length === 0 ? `see ${[...pathOf(command), '--help'].join(' ')}` : `did you mean ${near.join(' or ')}?`;
      throw new KernelError('E_USAGE', `unknown command '${word}'; ${hint}`);
    }
    command = next;
  }
}

function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()];
}

function groupOf(parent: Command, name: string): Command {
  const known = parent.commands.find((command) => command.name() === name);
  return known ?? parent.command(name).description(groupSummaries[name] ?? '');
}

function addCommand(command: Command, spec: CommandSpec, terminal: Terminal, end: (code: ExitCode) => void): void {
  const { summary, arguments: taken = [], load } = spec;
  command.description(summary);
  for (const { name, description, isOptional, isVariadic, choices } of taken) {
    const word = isVariadic === true ? `${name}...` : name;
    const argument = new Argument(isOptional === true ? `[${word}]` : `<${word}>`, description);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const { flags, description, choices, isRepeatable } of optionsOf(spec)) {
    const option = new Option(flags, description);
    if (isRepeatable === true) option.argParser<readonly string[]>((value, all = []) => [...all, value]);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  command.action(async () => {
    const named = taken.map(({ name, isVariadic }, index) => {
      return [name, isVariadic === true ? command.args.slice(index) : command.args[index]] as const;
    });
    const body = await load();
    end((await body(invocationOf(named, command.opts()), terminal)) ?? exitCode.ok);
  });
}

function invocationOf(
  named: readonly (readonly [string, string | readonly string[] | undefined])[],
  options: Readonly<Record<string, string | readonly string[] | true>>,
): Invocation {
  const entries = [...named, ...Object.entries(options)];
  const values = entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  const lists = entries.flatMap(([name, value]) => (Array.isArray(value) ? [[name, value] as const] : []));
  const flags = new Set(entries.flatMap(([name, value]) => (value === true ? [name] : [])));
  return { values: Object.fromEntries(values), lists: Object.fromEntries(lists), flags, isJson: flags.has('json') };
}
