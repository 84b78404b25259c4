import { join } from 'node:path';
import { root } from '../repository.ts';
import { table } from './table.ts';

interface Word {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  readonly choices?: readonly string[];
}

interface Option {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
}

/** A command as `commands.ts` describes it. */
interface Command {
  readonly path: string;
  readonly summary: string;
  readonly reach: 'api' | 'configuration' | 'none';
  readonly arguments?: readonly Word[];
  readonly options?: readonly Option[];
}

const introduction = `# Command line

Every command of [\`ravi\`](../../packages/cli/README.md), from the table that its help and its completion come from. In
a clone of the repository it is \`npm run ravi --\`.

- Commands marked _server or here_ work on the server of \`--server <url>\`, else on the installation of the configuration,
  opened in the process of the command.
- \`--config <file>\` names a configuration; else \`RAVI_CONFIG\`, else \`ravi.config.json\` or \`ravi.config.ts\` here, else the
  defaults apply.
- \`--json\` prints JSON, failures too: \`{ "error": { "code", "message" } }\` with [the codes](errors.md).`;

const reaches = { api: 'Server or here.', configuration: 'Here.', none: '' };

/** Writes the page about the command line. */
export async function commandLinePage(): Promise<string> {
  const { commands }: { readonly commands: readonly Command[] } = await import(cliFile('commands.ts'));
  const { exitCodeMeanings }: { readonly exitCodeMeanings: ReadonlyMap<number, string> } = await import(
    cliFile('exit-code.ts')
  );
  const codes = Array.from(exitCodeMeanings, ([code, meaning]) => [`${code}`, meaning]);
  return [
    introduction,
    `## Exit codes\n\n${table(['code', 'meaning'], codes)}`,
    '## Commands',
    ...commands.map(describe),
  ].join('\n\n');
}

function cliFile(name: string): string {
  return join(root, 'packages/cli/src', name);
}

function describe({ path, summary, reach, arguments: words = [], options = [] }: Command): string {
  const typed = words.map(({ name, isOptional }) => (isOptional === true ? ` [${name}]` : ` <${name}>`)).join('');
  const rows = [
    ...words.map(({ name, description, choices }) => [`\`${name}\``, meaning(description, choices)]),
    ...options.map(({ flags, description, choices }) => [`\`${flags}\``, meaning(description, choices)]),
  ];
  return [
    `### \`ravi ${path}${typed}\``,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. ${reaches[reach]}`.trim(),
    ...(rows.length === 0 ? [] : [table(['word', 'meaning'], rows)]),
  ].join('\n\n');
}

function meaning(description: string, choices: readonly string[] = []): string {
  return choices.length === 0 ? description : `${description}: ${choices.map((choice) => `\`${choice}\``).join(', ')}`;
}
