import type { Plugin } from '@ravi/kernel';
import { defineToolsPlugin } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { addScheduleTool } from './add-schedule.ts';
import { addTimerTool } from './add-timer.ts';
import { cancelTriggerTool } from './cancel-trigger.ts';
import { listTriggersTool } from './list-triggers.ts';
import type { TriggerToolParts } from './trigger-parts.ts';
import { watchChannelTool } from './watch-channel.ts';

const plugin: Plugin<'toolSource', ToolSelection> = defineToolsPlugin<object, TriggerToolParts>({
  name: 'tools-triggers',
  options: {},
  open: (_options, { triggers }) => ({ triggers }),
  tools: {
    add_timer: addTimerTool,
    add_schedule: addScheduleTool,
    watch_channel: watchChannelTool,
    list_triggers: listTriggersTool,
    cancel_trigger: cancelTriggerTool,
  },
});
export default plugin;
