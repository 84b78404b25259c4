import { defineToolsPlugin, workspaceOfCall } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import type { Plugin } from '@ravi/kernel';
import { gitOptionSchemas } from './options.ts';
import type { GitOptions, GitParts } from './options.ts';
import { privateParentOf, removeLeftFolders } from './private/private-folder.ts';
import { createAddTool } from './tools/add.ts';
import { createBlameTool } from './tools/blame.ts';
import { createBranchTool } from './tools/branch.ts';
import { createCleanTool } from './tools/clean.ts';
import { createCloneTool } from './tools/clone.ts';
import { createCommitTool } from './tools/commit.ts';
import { createDiffTool } from './tools/diff.ts';
import { createFetchTool } from './tools/fetch.ts';
import { createInitTool } from './tools/init.ts';
import { createLogTool } from './tools/log.ts';
import { createMergeTool } from './tools/merge.ts';
import { createPushTool } from './tools/push.ts';
import { createRebaseTool } from './tools/rebase.ts';
import { createResetTool } from './tools/reset.ts';
import { createRestoreTool } from './tools/restore.ts';
import { createShowTool } from './tools/show.ts';
import { createStashTool } from './tools/stash.ts';
import { createStatusTool } from './tools/status.ts';
import { createSwitchTool } from './tools/switch.ts';

export type { GitCredential, GitOptions, GitProtocol } from './options.ts';

const plugin: Plugin<'toolSource', GitOptions & ToolSelection> = defineToolsPlugin<GitOptions, GitParts>({
  name: 'tools-git',
  options: gitOptionSchemas,
  async open(options, { baseDir, logger }) {
    const privateParent = privateParentOf(options.privateFolder, baseDir);
    const count = await removeLeftFolders(privateParent);
    if (count > 0) logger.info('private folders of git of an ended server were removed', { count });
    return { options, workspaceOf: workspaceOfCall({ root: options.root, baseDir }), privateParent };
  },
  tools: {
    git_status: createStatusTool,
    git_diff: createDiffTool,
    git_log: createLogTool,
    git_show: createShowTool,
    git_blame: createBlameTool,
    git_branch: createBranchTool,
    git_add: createAddTool,
    git_commit: createCommitTool,
    git_switch: createSwitchTool,
    git_restore: createRestoreTool,
    git_stash: createStashTool,
    git_merge: createMergeTool,
    git_rebase: createRebaseTool,
    git_reset: createResetTool,
    git_clean: createCleanTool,
    git_init: createInitTool,
    git_clone: createCloneTool,
    git_fetch: createFetchTool,
    git_push: createPushTool,
  },
});
export default plugin;
