import type { ReloadResult } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { visible } from '../render/visible.ts';

/** Has a server read its files again and prints what has changed. Exit code 1 if something is broken. */
export const reloadServer: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal);
  const result = await client.server.reload();
  const failures = reloadFailures(result);
  if (invocation.isJson) terminal.print(JSON.stringify(result));
  else {
    const lines = reloadLines(result);
    for (const line of lines) terminal.print(line);
    if (lines.length === 0 && failures.length === 0) terminal.print('Nothing has changed.');
  }
  for (const line of [...failures, ...result.config.warnings.map(visible)]) terminal.warn(line);
  return failures.length === 0 ? exitCode.ok : exitCode.failed;
};

/** Returns a line for each change of a reload. */
export function reloadLines({ sources, config, skills, agents }: ReloadResult): readonly string[] {
  const changes = [
    ...sources.map(({ source, added, changed, removed }) => [source, { added, changed, removed }] as const),
    ['skills', { added: skills.added, changed: skills.changed, removed: skills.removed }] as const,
    ['agents', agents] as const,
    ['configuration', { changed: config.changed, 'needs a restart': config.needsRestart }] as const,
  ];
  return changes.flatMap(([where, names]) =>
    Object.entries(names)
      .filter(([, list]) => list.length > 0)
      .map(([what, list]) => visible(`${where}: ${what} ${list.join(', ')}`)),
  );
}

/** Returns a line for each file or key that a reload could not read. */
export function reloadFailures({ sources, config, skills }: ReloadResult): readonly string[] {
  const ofSources = sources.flatMap(({ source, failures }) =>
    failures.map(({ from, message }) => `${source}/${from}: ${message}`),
  );
  const ofSkills = skills.failures.map(({ from, message }) => `${from}: ${message}`);
  const ofConfig = config.failures.map(({ message }) => `${message}; the previous configuration stays`);
  return [...ofSources, ...ofSkills, ...ofConfig].map(visible);
}
