import { isLocalTool } from '@ravi/kernel';
import type { AnyTool, JsonObject } from '@ravi/kernel';
import { sha256OfJson } from './arguments/digest.ts';

// A tool of a toolbox is frozen, so its digest stays.
const digests = new WeakMap<AnyTool, string>();

/** SHA-256 of what a human saw of a tool and what the provider was told; the code behind it has no digest. */
export function toolDigest(tool: AnyTool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const digest = sha256OfJson(definitionOf(tool));
  if (Object.isFrozen(tool)) digests.set(tool, digest);
  return digest;
}

function definitionOf(tool: AnyTool): JsonObject {
  const { name, description } = tool;
  const risk = 'risk' in tool ? (tool.risk ?? null) : null;
  if (!isLocalTool(tool)) return { name, description, providerSpecs: tool.providerSpecs, risk };
  return { name, description, inputSchema: tool.inputSchema as JsonObject, risk };
}
