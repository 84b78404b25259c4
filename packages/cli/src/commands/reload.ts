import type { ReloadResult } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { visible } from '../render/visible.ts';

/** Has a server read its files again and prints what has changed. Exit code 1 if something is broken. */
export const reloadServer: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal);
  const result = await client.server.reload();
  if (invocation.isJson) terminal.print(JSON.stringify(result));
  else for (const line of linesOf(result)) terminal.print(line);
  const failures = result.sources.flatMap(({ source, failures: all }) => all.map((one) => ({ source, ...one })));
  for (const { source, from, message } of failures) terminal.warn(visible(`${source}/${from}: ${message}`));
  return failures.length === 0 ? exitCode.ok : exitCode.failed;
};

function linesOf({ sources }: ReloadResult): readonly string[] {
  const lines = sources.flatMap(({ source, added, changed, removed }) =>
    Object.entries({ added, changed, removed })
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => visible(`${source}: ${what} ${names.join(', ')}`)),
  );
  return lines.length === 0 ? ['Nothing has changed.'] : lines;
}
