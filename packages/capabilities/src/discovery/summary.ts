import type { Tool } from '@ravi/kernel';

const maxSummaryCharacters = 120;
const maxListedParameters = 12;

/** Returns the first sentence of a tool's description, cut at a word; empty without a description. */
export function summaryOf(tool: Pick<Tool, 'description'>, maxCharacters: number = maxSummaryCharacters): string {
  if (typeof tool.description !== 'string') return '';
  const text = tool.description.slice(0, 1_000).replaceAll(/\s+/g, ' ').trim();
  const [sentence = ''] = text.split(/(?<=[.!?。])\s/, 1);
  if (sentence.length <= maxCharacters) return sentence;
  return `${sentence.slice(0, maxCharacters).replace(/\s+\S*$/, '')}…`;
}

/** Returns the names of a tool's parameters in the order of its schema. */
export function parameterNames(tool: Pick<Tool, 'inputSchema'>): readonly string[] {
  const properties: unknown = tool.inputSchema?.['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

/** Returns the parameters as a list: `owner, repo, title, body?`. */
export function parameterList(tool: Pick<Tool, 'inputSchema'>): string {
  const required: unknown = tool.inputSchema?.['required'];
  const names = parameterNames(tool);
  const listed = names
    .slice(0, maxListedParameters)
    .map((name) => (Array.isArray(required) && required.includes(name) ? name : `${name}?`));
  return (names.length > maxListedParameters ? [...listed, '…'] : listed).join(', ');
}
