import type { JsonObject, ProviderSpec } from '@ravi/kernel';
import { textOrEmpty } from '@ravi/provider-kit';

/** Tool with calls in Anthropic's own shape that we execute: bash, the text editor, memory, computer, browser. */
export interface NativeTool {
  /** The tool's own name. */
  readonly name: string;
  /** Name in calls: the tool, or its toolset. */
  readonly wireName: string;
  readonly callType: string;
  /** True if calls also name a member, which becomes the `action` of their arguments. */
  readonly isToolset: boolean;
}

/** Returns the tools among these that we execute. */
export function nativeTools(specs: readonly ProviderSpec[]): readonly NativeTool[] {
  return specs.flatMap(({ name, spec, callTypes }): NativeTool[] => {
    const wireName = wireNameOf(spec);
    if (callTypes === undefined || wireName === undefined) return [];
    const { type } = spec;
    const callType = typeof type === 'string' && callTypes.includes(type) ? type : wireName;
    return [{ name, wireName, callType, isToolset: !('name' in spec) }];
  });
}

/** Returns the wire name of a provider tool: of a toolset its family, `undefined` for MCP servers. */
export function wireNameOf(spec: JsonObject): string | undefined {
  const { name, type } = spec;
  if (typeof name === 'string') return name;
  return typeof type === 'string' ? /^(\w+)_toolset_\d+$/u.exec(type)?.[1] : undefined;
}

/** Returns the newest offered code execution type whose scripts may call our tools. */
export function scriptCaller(specs: readonly ProviderSpec[]): string | undefined {
  return specs
    .map(({ spec }) => textOrEmpty(spec['type']))
    .filter((type) => /^code_execution_\d+$/u.test(type) && type > 'code_execution_20250522')
    .toSorted((one, other) => one.localeCompare(other))
    .at(-1);
}

const betaOfType: readonly (readonly [type: RegExp, beta: string])[] = [
  [/^(computer|text_editor|bash)_20241022$/u, 'computer-use-2024-10-22'],
  [/^computer_20250124$/u, 'computer-use-2025-01-24'],
  [/^computer_20251124$/u, 'computer-use-2025-11-24'],
  [/^code_execution_20250522$/u, 'code-execution-2025-05-22'],
  [/^mcp_toolset$/u, 'mcp-client-2025-11-20'],
  [/^advisor_20260301$/u, 'advisor-tool-2026-03-01'],
];

/** Returns the values of the header `anthropic-beta` that these tools need. */
export function betasOf(specs: readonly ProviderSpec[]): readonly string[] {
  return betaOfType
    .filter(([type]) => specs.some(({ spec }) => type.test(textOrEmpty(spec['type']))))
    .map(([, beta]) => beta);
}
