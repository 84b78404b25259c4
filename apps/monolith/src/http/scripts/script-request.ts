import type { ChainPolicy, JsonObject, SandboxLanguage } from '@ravi/kernel';
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

// A script is at most `maxSourceBytes`; JSON writes a control character in six bytes, and the rest needs little.
const escapedBytesPerByte = 6;
const otherBytes = 4_096;

/** How large the body of a request with a script may be. */
export function maxScriptBodyBytes({ maxSourceBytes }: ChainPolicy): number {
  return maxSourceBytes * escapedBytesPerByte + otherBytes;
}

/** The script of a body that fits its schema. @throws KernelError `E_REQUEST_INVALID` for a policy that is wrong or looser */
export function scriptOf({ code, language, policy = {} }: ScriptBody, server: ChainPolicy): ScriptRequest {
  return {
    code,
    policy: tightenPolicy(policy, server),
    ...(language === undefined ? {} : { language }),
  };
}

/** The parts of a body that describe a script. */
interface ScriptBody {
  readonly code: string;
  readonly language?: SandboxLanguage;
  readonly policy?: Partial<ChainPolicy>;
}

/**
 * The fields of a request's policy, checked: each may make the server's policy stricter and none may loosen it.
 * @throws KernelError `E_REQUEST_INVALID` naming the field and both values
 */
function tightenPolicy(requested: Partial<ChainPolicy>, server: ChainPolicy): Partial<ChainPolicy> {
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

function merge(requested: Partial<ChainPolicy>, server: ChainPolicy): ChainPolicy {
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
