import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import { checkName } from '../arguments/revision.ts';
import type { GitParts } from '../options.ts';
import { moveInto } from '../private/move-into.ts';
import { makePrivateFolder } from '../private/private-folder.ts';
import { checkNewFolder, newFolder } from '../repository/new-folder.ts';
import { fixedOptions } from '../run/fixed-options.ts';
import { gitEnvironment } from '../run/git-environment.ts';
import { gitError, untrusted } from '../run/git-error.ts';
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
    checkCall({ folder = '.', branch = 'main' }, context) {
      checkName(branch, 'branch');
      checkNewFolder(parts.workspaceOf(context), folder);
    },
    async execute({ folder = '.', branch = 'main' }, context) {
      checkName(branch, 'branch');
      const workspace = parts.workspaceOf(context);
      const { path, shown } = await newFolder(workspace, folder);
      if ((await lstat(join(path, '.git')).catch(() => undefined)) !== undefined) {
        throw untrusted('the folder has a ".git" already');
      }
      using made = makePrivateFolder(parts.privateParent, workspace.root);
      const { exitCode, stderr } = await runGit({
        args: [...fixedOptions(false), 'init', '--quiet', '--template=', `--initial-branch=${branch}`, made.path],
        cwd: made.path,
        env: gitEnvironment({
          protocols: [],
          readsOnly: false,
          more: parts.options.environment ?? {},
          settings: [],
        }),
        signal: context.signal,
      });
      const text = stderr.replaceAll(made.path, shown);
      if (exitCode !== 0) throw gitError({ command: 'init', stderr: text, root: workspace.root, locksFirst: false });
      await moveInto(workspace, made.path, shown, context.signal);
      return toolReply(`Made a repository in ${shown} with the branch ${branch}`, { folder: shown, branch });
    },
  });
}
