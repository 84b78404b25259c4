// #region tool
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

const countWords: Tool = defineTool({
  name: 'count_words',
  description: 'Counts the words of a text.',
  risk: 'safe',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'The text, or an artifact with it.' } },
    required: ['text'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  execute: ({ text }) => ({ words: text.split(/\s+/u).filter(Boolean).length }),
});

export default countWords;
// #endregion
