import { KernelError } from '@ravi/kernel';
import type { Plugin, PluginContext } from '@ravi/kernel';
import { defineToolsPlugin } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { createGroupAddNode } from './group/group-add-node.ts';
import { createGroupChannel } from './group/group-channel.ts';
import type { GroupParts } from './group/group-parts.ts';
import { createGroupWire } from './group/group-wire.ts';
import { createJoin } from './join.ts';
import { createSpawn } from './spawn.ts';

const sourceName = 'tools-agents';

const plugin: Plugin<'toolSource', ToolSelection> = defineToolsPlugin({
  name: sourceName,
  options: {},
  tools: {
    spawn: createSpawn,
    join: createJoin,
    group_add_node: createGroupAddNode,
    group_channel: createGroupChannel,
    group_wire: createGroupWire,
  },
  open: openGroupParts,
});
export default plugin;

/** Opens the parts. A process without a state store has the tools, and they say what to configure. */
function openGroupParts({ name: source = sourceName }: ToolSelection, { stateStore }: PluginContext): GroupParts {
  return {
    source,
    channels() {
      if (stateStore?.channels !== undefined) return stateStore.channels;
      throw new KernelError(
        'E_UNSUPPORTED',
        'A group needs stored channels, and this server has none: configure plugins.stateStore',
      );
    },
  };
}
