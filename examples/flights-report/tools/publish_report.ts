import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { reportsFolder } from '../src/check-run.ts';

const publishReport: Tool = defineTool({
  name: 'publish_report',
  description: 'Publishes a report in Markdown under its title; a report of the same title is replaced.',
  risk: 'high',
  idempotent: true,
  concurrency: 'exclusive',
  inputSchema: {
    type: 'object',
    required: ['title', 'markdown'],
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 120 },
      markdown: { type: 'string', minLength: 1, maxLength: 200_000 },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    required: ['file', 'bytes'],
    properties: { file: { type: 'string' }, bytes: { type: 'integer' } },
  },
  classifyRisk(args) {
    const { title, markdown } = args as unknown as Report;
    return {
      risk: 'high',
      summary: `Write "${title}" (${markdown.length} characters) to reports/${fileNameOf(title)}`,
    };
  },
  async execute(args) {
    const { title, markdown } = args as unknown as Report;
    const file = fileNameOf(title);
    const content = `# ${title}\n\n${markdown}\n`;
    const folder = reportsFolder(process.env);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, file), content);
    const bytes = new TextEncoder().encode(content);
    return {
      content: [{ type: 'document', mediaType: 'text/markdown', name: file, source: { kind: 'bytes', bytes } }],
      structuredContent: { file: `reports/${file}`, bytes: bytes.byteLength },
      isError: false,
    };
  },
});

export default publishReport;

/** The arguments, as the input schema has judged them. */
interface Report {
  readonly title: string;
  readonly markdown: string;
}

// Letters and digits only, so that no title can name another folder.
function fileNameOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${slug === '' ? 'report' : slug}.md`;
}
