import { stat } from 'node:fs/promises';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { datasets, locate } from '../src/datasets.ts';

const listDatasets: Tool = defineTool({
  name: 'list_datasets',
  description: 'Lists the datasets that open_dataset can open.',
  risk: 'safe',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name', 'description', 'bytes'],
      properties: { name: { type: 'string' }, description: { type: 'string' }, bytes: { type: 'integer' } },
    },
  },
  execute: () =>
    Promise.all(
      datasets.map(async (dataset) => {
        const { name, description } = dataset;
        return { name, description, bytes: (await stat(locate(dataset))).size };
      }),
    ),
});

export default listDatasets;
