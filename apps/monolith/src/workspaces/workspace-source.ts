import { createFolderToolSource } from '@ravi/capabilities';
import type { OpenToolSource, ToolSource } from '@ravi/kernel';
import type { LoadedWorkspace } from '../reload/reloadable.ts';

/** Creates one source, named after the workspace, of the tools of all its tool folders. */
export function createWorkspaceSource({ name, toolFolders }: LoadedWorkspace): ToolSource {
  return {
    name,
    async open(options) {
      const opened: OpenToolSource[] = [];
      for (const folder of toolFolders) {
        opened.push(await createFolderToolSource(folder, { name }).open(options));
      }
      return {
        content() {
          const contents = opened.map((folder) => folder.content());
          return {
            tools: contents.flatMap(({ tools }) => [...tools]),
            failures: contents.flatMap(({ failures }) => [...failures]),
          };
        },
        async reload() {
          for (const folder of opened) await folder.reload?.();
        },
        async [Symbol.asyncDispose]() {
          for (const folder of opened) await folder[Symbol.asyncDispose]();
        },
      };
    },
  };
}
