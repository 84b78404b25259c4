import { sha256OfJson } from '@ravi/invoker';
import { isHostedTool, isLocalTool } from '@ravi/kernel';
import type { AnyTool, JsonObject, ToolRisk } from '@ravi/kernel';

/** Definition of a tool as its source states it: everything that a model or an approver reads. Plain JSON. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** Absent for a tool that declares none. */
  readonly risk?: ToolRisk;
  /** True if the source says that a repeated call is harmless, and is believed. */
  readonly idempotent?: true;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly promptHint?: string;
  /** Of a tool that the provider runs or defines. */
  readonly providerSpecs?: JsonObject;
}

/** Returns the definition of a tool. @throws TypeError if it is not JSON, or an error of a getter of the tool */
export function definitionOf(tool: AnyTool): ToolDefinition {
  const { name, description } = tool;
  const definition = {
    name,
    description,
    ...(isHostedTool(tool) || tool.risk === undefined ? {} : { risk: tool.risk }),
    ...(isLocalTool(tool) && tool.idempotent === true ? { idempotent: true } : {}),
    ...(isLocalTool(tool)
      ? { inputSchema: tool.inputSchema, outputSchema: tool.outputSchema, promptHint: tool.promptHint }
      : { providerSpecs: tool.providerSpecs }),
  };
  return JSON.parse(JSON.stringify(definition)) as ToolDefinition;
}

/** Returns the SHA-256 of a definition. */
export function definitionDigestOf(definition: ToolDefinition): string {
  return sha256OfJson(definition as unknown as JsonObject);
}

/** Returns the SHA-256 of a definition without what depends on the trust of the operator: its risk, and whether it is idempotent. */
export function textDigestOf({ risk: _risk, idempotent: _idempotent, ...text }: ToolDefinition): string {
  return sha256OfJson(text);
}
