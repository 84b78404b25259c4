import type { Plugin } from '@ravi/kernel';
import { defineToolsPlugin } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { createGroupAddNode } from './group/group-add-node.ts';
import { createGroupChannel } from './group/group-channel.ts';
import { openGroupParts, sourceName } from './group/group-parts.ts';
import { createGroupWire } from './group/group-wire.ts';
import { createJoin } from './join.ts';
import { createSpawn } from './spawn.ts';

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
