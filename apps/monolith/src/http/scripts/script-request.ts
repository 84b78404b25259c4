import type { ChainPolicy, JsonObject, JsonSchema, SandboxLanguage } from '@ravi/kernel';
import { compareRisk, defineChainPolicy, isKernelError } from '@ravi/kernel';
import { problem } from '../core/problem.ts';

/** A script that somebody wants to run. */
export interface ScriptRequest {
  readonly code: string;
  readonly language?: SandboxLanguage;
  readonly input?: JsonObject;
  readonly allowedTools?: readonly string[];
  readonly policy: Partial<ChainPolicy>;
}

/** What every request about a script may say. */
export const scriptProperties: Readonly<Record<'code' | 'language' | 'policy', JsonSchema>> = {
  code: { type: 'string', description: 'The script.' },
  language: { enum: ['javascript', 'python'], description: 'JavaScript, TypeScript included, when absent.' },
  policy: { type: 'object', description: 'Fields of the policy that this run tightens.' },
};

// A script is at most `maxSourceBytes`; JSON writes a control character in six bytes, and the rest needs little.
const escapedBytesPerByte = 6;
const otherBytes = 4_096;

/** How large the body of a request with a script may be. */
export function maxScriptBodyBytes({ maxSourceBytes }: ChainPolicy): number {
  return maxSourceBytes * escapedBytesPerByte + otherBytes;
}

/** The script of a body that fits its schema. @throws KernelError `E_REQUEST_INVALID` for a policy that is wrong or looser */
export function scriptOf({ code, language, policy = {} }: JsonObject, server: ChainPolicy): ScriptRequest {
  return {
    code: code as string,
    policy: tightenPolicy(policy as JsonObject, server),
    ...(language === undefined ? {} : { language: language as SandboxLanguage }),
  };
}

/**
 * The fields of a request's policy, checked: each may make the server's policy stricter and none may loosen it.
 * @throws KernelError `E_REQUEST_INVALID` naming the field and both values
 */
function tightenPolicy(requested: JsonObject, server: ChainPolicy): Partial<ChainPolicy> {
  const merged = merge(requested, server);
  for (const field of Object.keys(requested) as (keyof ChainPolicy)[]) {
    if (!isLooser(field, merged, server)) continue;
    throw problem(
      'E_REQUEST_INVALID',
      `policy.${field} ${merged[field]} is looser than the server's ${server[field]}; a request may only tighten it`,
    );
  }
  return requested;
}

function merge(requested: JsonObject, server: ChainPolicy): ChainPolicy {
  try {
    return defineChainPolicy(requested, server);
  } catch (error) {
    if (!isKernelError(error)) throw error;
    throw problem('E_REQUEST_INVALID', error.message);
  }
}

function isLooser(field: keyof ChainPolicy, merged: ChainPolicy, server: ChainPolicy): boolean {
  // Of the two risks one says how much runs unasked (less is stricter), the other how much a silent tool counts as.
  if (field === 'maxRiskUnapproved') return compareRisk(merged[field], server[field]) > 0;
  if (field === 'defaultRisk') return compareRisk(merged[field], server[field]) < 0;
  return merged[field] > server[field];
}
