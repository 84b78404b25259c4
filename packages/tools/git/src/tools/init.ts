import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { newFolder } from '../repository/new-folder.ts';
import { untrusted } from '../repository/check-git-folder.ts';
import { fixedOptions } from '../run/fixed-options.ts';
import { gitEnvironment } from '../run/git-environment.ts';
import { gitError } from '../run/git-error.ts';
import { runGit } from '../run/run-git.ts';

/** Creates `git_init`. */
export function createInitTool(parts: GitParts): Tool {
  return defineTool({
    name: 'git_init',
    description: 'Makes an empty git repository in a folder of the workspace, which may have files.',
    risk: 'high',
    idempotent: true,
    documentation: () =>
      'The folder is made if it is missing. A folder that is a repository already is refused. No template is copied.',
    inputSchema: {
      type: 'object',
      properties: {
        folder: { type: 'string', default: '.', description: 'Folder in the workspace.' },
        branch: { type: 'string', default: 'main', description: 'Name of the first branch.' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { folder: { type: 'string' }, branch: { type: 'string' } },
      required: ['folder', 'branch'],
    },
    classifyRisk: ({ folder = '.' }) => ({ risk: 'high', summary: `Make a git repository in ${quoted(folder)}` }),
    async execute({ folder = '.', branch = 'main' }, context) {
      checkName(branch, 'branch');
      const workspace = parts.workspaceOf(context);
      const { path, shown } = await newFolder(workspace, folder);
      if ((await lstat(join(path, '.git')).catch(() => undefined)) !== undefined) {
        throw untrusted('the folder has a ".git" already');
      }
      const { options } = parts;
      const { exitCode, stderr } = await runGit({
        args: [...fixedOptions(false), 'init', '--quiet', '--template=', `--initial-branch=${branch}`],
        cwd: path,
        env: {
          ...gitEnvironment({ protocols: [], readsOnly: false, more: options.environment ?? {}, settings: [] }),
          GIT_DIR: join(path, '.git'),
          GIT_WORK_TREE: path,
        },
        signal: context.signal,
      });
      if (exitCode !== 0) throw gitError({ command: 'init', stderr, root: workspace.root, locksFirst: false });
      return toolReply(`Made a repository in ${shown} with the branch ${branch}`, { folder: shown, branch });
    },
  });
}
