import type { Tool } from '@ravi/kernel';
import { isRecord } from '../declarations/definitions.ts';

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
  return Object.keys(propertiesOf(tool));
}

/** Returns what the schema says about its parameters: their descriptions and the values that they may have. */
export function parameterNotes(tool: Pick<Tool, 'inputSchema'>): readonly string[] {
  return Object.values(propertiesOf(tool)).flatMap((property) => {
    if (!isRecord(property)) return [];
    const { description, enum: values } = property;
    const choices = Array.isArray(values) ? values : [];
    return [description, ...choices].filter((note) => typeof note === 'string');
  });
}

function propertiesOf(tool: Pick<Tool, 'inputSchema'>): Record<string, unknown> {
  const properties: unknown = tool.inputSchema?.['properties'];
  return isRecord(properties) ? properties : {};
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
