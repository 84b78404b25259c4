import { sha256OfJson } from '@ravi/invoker';
import type { JsonValue, Tool } from '@ravi/kernel';

/** Digest of what a script relies on in a tool: name, description and schemas. Its risk is judged anew at each call. */
export function definitionDigest({ name, description, inputSchema, outputSchema }: Tool): string {
  return sha256OfJson({ name, description, inputSchema, outputSchema: outputSchema ?? null } as JsonValue);
}
