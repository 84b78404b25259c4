// #region historyView
import { definePlugin } from '@ravi/kernel';
import type { ContentBlock, HistoryView, Plugin } from '@ravi/kernel';

/** Options of the plugin. */
export interface RecentOptions {
  /** Number of messages at the end whose results are shown in full. */
  readonly messages: number;
}

const omitted: ContentBlock = { type: 'text', text: 'Omitted. Call the tool again if you need the result.' };

/** Omits results of calls that were made long ago, and keeps the calls themselves. */
export function createRecentView({ messages: recent }: RecentOptions): HistoryView {
  return {
    view: (messages) =>
      messages.map((message, index) => {
        // In steps, so that most requests begin as the one before and the provider can cache them.
        const boundary = Math.floor((messages.length - recent) / recent) * recent;
        if (index >= boundary) return message;
        const shorten = (block: ContentBlock) =>
          block.type === 'tool_result' ? { ...block, content: [omitted] } : block;
        return { ...message, content: message.content.map(shorten) };
      }),
  };
}

const plugin: Plugin<'historyView', RecentOptions> = definePlugin({
  name: 'recent-results',
  port: 'historyView',
  configSchema: {
    type: 'object',
    properties: { messages: { type: 'integer', minimum: 2, default: 20 } },
    additionalProperties: false,
  },
  create: createRecentView,
});
export default plugin;
// #endregion
