import { KernelError } from '@ravi/kernel';
import type { JsonSchema, Plugin, Tool } from '@ravi/kernel';
import { defineToolsPlugin } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { createCalculator } from './calculator.ts';
import { openData } from './data-parts.ts';
import type { DataOptions, DataParts } from './data-parts.ts';
import { createImageGen } from './image-gen.ts';
import { imageServices } from './image/open-images.ts';
import { createPdfRead } from './pdf-read.ts';
import { createSqlQuery } from './sql-query.ts';

export { createCalculator } from './calculator.ts';
export { openData } from './data-parts.ts';
export type { DataOptions, DataParts, PdfReadLimits } from './data-parts.ts';
export { createImageGen } from './image-gen.ts';
export type { ImageQuestion, ImageShape } from './image/image-adapter.ts';
export type { ImageOptions, Images, ImageService, MadeImage } from './image/open-images.ts';
export { createPdfRead } from './pdf-read.ts';
export { createSqlQuery } from './sql-query.ts';
export type { ConnectionOptions, Connections, Statement } from './sql/connections.ts';
export type { SqlAnswer, SqlParameter } from './sql/sql-question.ts';

const limit = (value: number, description: string): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  default: value,
  description,
});
const text = (description: string): JsonSchema => ({ type: 'string', minLength: 1, description });

const plugin: Plugin<'toolSource', DataOptions & ToolSelection> = defineToolsPlugin<DataOptions, DataParts>({
  name: 'tools-data',
  options: {
    root: text(
      'Folder of the PDF files, relative to the configuration. Default: the workspace of the agent; without one a call fails.',
    ),
    pdf: {
      type: 'object',
      properties: {
        bytes: limit(67_108_864, 'Bytes of a PDF file.'),
        ms: limit(30_000, 'Milliseconds in which a PDF is read.'),
        memoryMb: limit(512, 'Megabytes of memory of the process that reads a PDF.'),
      },
      additionalProperties: false,
    },
    connections: {
      type: 'object',
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$' },
      additionalProperties: {
        type: 'object',
        properties: {
          sqlite: text('File of a SQLite database, relative to the configuration.'),
          postgres: text('Address of a PostgreSQL database, for example { "$env": "DATABASE_URL" }.'),
          write: { type: 'boolean', default: false, description: 'Allows statements that change the database.' },
          description: text('What the database holds, for the model.'),
          timeoutMs: limit(30_000, 'Milliseconds of one statement.'),
          maxRows: limit(100_000, 'Rows that one statement returns.'),
        },
        additionalProperties: false,
      },
      default: {},
      description: 'Databases of sql_query by name; without any the tool is not offered.',
    },
    images: {
      type: 'object',
      properties: {
        service: { enum: [...imageServices], description: 'Interface that makes the pictures.' },
        model: text('Model of the provider.'),
        key: text('Key of the account, for example { "$env": "OPENAI_API_KEY" }.'),
        url: text('Address of the interface. Default: that of its provider.'),
        reservedTokens: limit(5_000, 'Tokens that are reserved in the budgets for one picture.'),
        allowPrivateAddresses: {
          type: 'boolean',
          default: false,
          description: 'Allows a service on this machine or in a private network.',
        },
      },
      required: ['service', 'model', 'key'],
      additionalProperties: false,
      description: 'Service of image_gen; without it the tool is not offered.',
    },
  },
  tools: {
    pdf_read: createPdfRead,
    calculator: createCalculator,
    sql_query: ({ connections }): Tool | undefined =>
      connections.names.length === 0 ? undefined : createSqlQuery(connections),
    image_gen: ({ images }): Tool | undefined => (images === undefined ? undefined : createImageGen(images)),
  },
  open(options, { baseDir, clock }) {
    const needs = { sql_query: 'connections', image_gen: 'images' } as const;
    for (const [tool, option] of Object.entries(needs) as ['sql_query' | 'image_gen', 'connections' | 'images'][]) {
      if (options.tools?.includes(tool) === true && Object.keys(options[option] ?? {}).length === 0) {
        throw new KernelError('E_CONFIG_INVALID', `The tool ${tool} needs the option "${option}" of @ravi/tools-data`);
      }
    }
    return openData({ ...options, baseDir, clock });
  },
});
export default plugin;
