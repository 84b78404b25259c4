export { defineToolsPlugin } from './tools-plugin.ts';
export type { ToolSelection, ToolsPluginDefinition } from './tools-plugin.ts';
export { fileError, invalidPath, outsideError, show } from './workspace/path-error.ts';
export type { Place, WalkOptions } from './workspace/walk.ts';
export { openWorkspace, withPathLock, workspaceOfCall } from './workspace/workspace.ts';
export type { Workspace, WorkspaceOptions } from './workspace/workspace.ts';
export { runBounded } from './bounded/run-bounded.ts';
export type { BoundedOptions } from './bounded/run-bounded.ts';
