import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMonolith, tokens } from '@ravi/monolith';
import { toolCallOf } from '../operation.ts';
import type { CallTable, OpenOptions, OpenTools } from '../operation.ts';

const calls: CallTable = {
  read: ({ path }) => ({ name: 'read', args: { path } }),
  write: ({ path, content }) => ({ name: 'write', args: { path, content } }),
  edit: ({ path, oldText, newText }) => ({ name: 'edit', args: { path, oldText, newText } }),
  list: ({ path }) => ({ name: 'tree', args: { path } }),
  search: ({ pattern, path }) => ({ name: 'grep', args: { pattern, ...(path === undefined ? {} : { path }) } }),
  find: ({ pattern }) => ({ name: 'glob', args: { pattern } }),
  run: ({ command, limitSeconds }) => ({
    name: 'bash',
    args: { command, ...(limitSeconds === undefined ? {} : { timeoutMs: limitSeconds * 1_000 }) },
  }),
  fetch: ({ url }) => ({ name: 'web_fetch', args: { url } }),
  status: () => ({ name: 'git_status', args: {} }),
  diff: () => ({ name: 'git_diff', args: {} }),
  stage: ({ path }) => ({ name: 'git_add', args: { paths: [path] } }),
  commit: ({ message }) => ({ name: 'git_commit', args: { message } }),
};

/** Opens the reference server's own parts over a configuration file: sources of tools, toolbox and invoker with the default policy. */
export async function open({ root, home, onAsked }: OpenOptions): Promise<OpenTools> {
  const folder = await mkdtemp(join(home, 'ravi-'));
  const configPath = join(folder, 'ravi.config.json');
  const identity = { name: 'Robot', email: 'robot@example.com' };
  const toolSource = [
    ...['files', 'search', 'shell'].map((name) => ({ use: `@ravi/tools-${name}`, root })),
    { use: '@ravi/tools-git', root, identity },
    { use: '@ravi/tools-web' },
  ];
  const approvalHandler = { use: '@ravi/approval-auto', rules: [{ decision: 'approved' }] };
  // Races make more calls than one run may.
  const config = { plugins: { toolSource, approvalHandler }, policy: { maxToolCalls: 2_000 } };
  await writeFile(configPath, JSON.stringify(config));
  const monolith = await openMonolith({ cwd: folder, configPath, env: {} });
  const { container } = monolith;
  const invoker = container.resolve(tokens.invoker);
  const session = invoker.openSession();
  container.resolve(tokens.hooks).observe('approval-requested', onAsked);
  return {
    async call(operation) {
      const result = await invoker.invoke(toolCallOf(calls, operation), { session });
      return { text: JSON.stringify(result), modelChars: result.text.length };
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await monolith[Symbol.asyncDispose]();
    },
  };
}
