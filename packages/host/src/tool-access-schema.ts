import type { JsonSchema } from '@ravi/kernel';
import type { ToolPatterns } from './agent-config.ts';

/** Rules about the tools that callers may use, over those of agents and requests. */
export interface ToolAccessConfig {
  /** Patterns of tools that no caller may use. */
  readonly disabled?: readonly string[];
  /** Tools of the callers whose access token names the role as its `toolRole`. */
  readonly roles?: Readonly<Record<string, ToolPatterns>>;
}

const patterns: JsonSchema = { type: 'array', items: { type: 'string', minLength: 1 } };

const role: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Tools of the callers with this role.',
  properties: {
    allow: {
      ...patterns,
      description: 'Only tools that match one of these patterns, and those of the runtime itself such as search_tools.',
    },
    deny: { ...patterns, description: 'No tool that matches one of these patterns.' },
  },
};

/** Key of a configuration about the tools that callers may use. */
export const toolAccessProperties: Readonly<Record<string, JsonSchema>> = {
  toolAccess: {
    type: 'object',
    additionalProperties: false,
    default: {},
    description:
      'Tools that callers may use, on every path to a tool. Patterns are whole names, "git.*" or "mcp:server/*". A reload reads this key again.',
    properties: {
      disabled: { ...patterns, description: 'Tools that no caller may use.' },
      roles: {
        type: 'object',
        additionalProperties: role,
        description: 'Roles by name. "toolRole" of an access token names the role of its principal.',
      },
    },
  },
};
