import { readFile } from 'node:fs/promises';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { datasets, locate } from '../src/datasets.ts';

const openDataset: Tool = defineTool({
  name: 'open_dataset',
  description:
    'Opens a dataset. The content is large: a script gets a handle that other tools take as "table", and whose text() gives the JSON or CSV text.',
  risk: 'safe',
  inputSchema: {
    type: 'object',
    required: ['name'],
    properties: { name: { enum: datasets.map(({ name }) => name) } },
    additionalProperties: false,
  },
  outputSchema: { type: 'string' },
  async execute({ name }, { signal }) {
    const dataset = datasets.find((candidate) => candidate.name === name);
    if (dataset === undefined) throw new Error('There is no such dataset');
    return readFile(locate(dataset), { encoding: 'utf8', signal });
  },
});

export default openDataset;
