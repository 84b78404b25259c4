import { defineTool } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';

/** Arguments of the gated tool. */
export interface RecordId extends JsonObject {
  readonly id: string;
}

/** Tool that must not run without a person, and what happened to it. */
export interface GatedTool {
  readonly name: 'delete_record';
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: { readonly id: { readonly type: 'string' } };
    readonly required: readonly ['id'];
    readonly additionalProperties: false;
  };
  /** Arguments of calls that ran. */
  readonly effects: readonly RecordId[];
  /** Arguments of calls that ran without a person who approved them. */
  readonly unapproved: readonly RecordId[];
  /** The effect. A framework without Ravi calls it directly. */
  execute(args: RecordId): Promise<string>;
  /** Reports that a person approves one call with these arguments. */
  approve(args: RecordId): void;
  /** The same tool for Ravi. */
  readonly tool: Tool;
}

/** Creates a {@link GatedTool} without effects. */
export function createGatedTool(): GatedTool {
  const effects: RecordId[] = [];
  const unapproved: RecordId[] = [];
  const approvals: string[] = [];
  const name = 'delete_record';
  const description = 'Deletes a record for good.';
  const inputSchema = {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  } as const;
  const execute = async ({ id }: RecordId): Promise<string> => {
    effects.push({ id });
    const approved = approvals.indexOf(id);
    if (approved === -1) unapproved.push({ id });
    else approvals.splice(approved, 1);
    return `Record ${id} is deleted`;
  };
  return {
    name,
    description,
    inputSchema,
    effects,
    unapproved,
    execute,
    approve: ({ id }) => void approvals.push(id),
    tool: defineTool({ name, description, inputSchema, risk: 'high', execute }),
  };
}

/** Returns the waiting call of a script that a model reads about in the JSON text of its results. */
export function waitingCallIn(told: string): { readonly tool: string } {
  const [, text] = /(\{\\"request\\".*?\}\})/.exec(told) ?? [];
  return JSON.parse(JSON.parse(`"${text}"`) as string) as { readonly tool: string };
}
