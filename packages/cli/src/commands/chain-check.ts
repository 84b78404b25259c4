import type { ChainError } from '@ravi/kernel';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { readScript } from '../read-input.ts';
import { visible } from '../render/visible.ts';

/** Checks a script without running it, and prints its mistakes. */
export const checkChainFile: CommandBody = async (invocation, terminal) => {
  const { file = '' } = invocation.values;
  const script = await readScript(file, terminal);
  await using client = await connect(invocation, terminal);
  const report = await client.chains.check(script);
  const { mistakes, warnings } = report;
  if (invocation.isJson) terminal.print(JSON.stringify(report));
  else {
    for (const warning of warnings) terminal.warn(`warning: ${textOf(warning)}`);
    for (const mistake of mistakes) terminal.print(textOf(mistake));
    if (mistakes.length === 0) terminal.print('No mistake was found.');
  }
  return mistakes.length === 0 ? exitCode.ok : exitCode.failed;
};

function textOf({ line, column, message, excerpt, suggestion }: ChainError): string {
  const place = line === undefined ? '' : `${line}:${column ?? 1} `;
  return visible([`${place}${message}`, suggestion, excerpt].filter((part) => part !== undefined).join('\n'));
}
