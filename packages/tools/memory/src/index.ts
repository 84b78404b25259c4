import type { Plugin } from '@ravi/kernel';
import { defineToolsPlugin } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { createForget } from './forget.ts';
import { openMemoryParts } from './memory-parts.ts';
import type { MemoryOptions } from './memory-parts.ts';
import { createRemember } from './remember.ts';
import { createScratchpad } from './scratchpad.ts';
import { createSearchMemory } from './search-memory.ts';

export type { MemoryOptions } from './memory-parts.ts';

const plugin: Plugin<'toolSource', MemoryOptions & ToolSelection> = defineToolsPlugin({
  name: 'tools-memory',
  options: {
    trustAgents: {
      type: 'boolean',
      default: false,
      description: 'true: remember is safe and needs no approval. What agents store then steers later runs unseen.',
    },
  },
  tools: {
    remember: createRemember,
    search_memory: createSearchMemory,
    forget: createForget,
    scratchpad: createScratchpad,
  },
  open: openMemoryParts,
});
export default plugin;
