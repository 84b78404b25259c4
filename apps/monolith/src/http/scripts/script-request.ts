import type { ApproveMode } from '@ravi/capabilities';
import type { ChainPolicy, JsonObject, SandboxLanguage } from '@ravi/kernel';
import { compareRisk, defineChainPolicy, isKernelError } from '@ravi/kernel';
import { problem } from '../core/problem.ts';

/** A script to run, from a request. */
export interface ScriptRequest {
  readonly code: string;
  readonly language?: SandboxLanguage;
  readonly input?: JsonObject;
  readonly allowedTools?: readonly string[];
  readonly policy: Partial<ChainPolicy>;
  readonly approve?: ApproveMode;
}

// A script has at most `maxSourceBytes`; JSON escapes a control character with six bytes.
const escapedBytesPerByte = 6;
const otherBytes = 4_096;

/** Returns the maximum size of a request body with a script. */
export function maxScriptBodyBytes({ maxSourceBytes }: ChainPolicy): number {
  return maxSourceBytes * escapedBytesPerByte + otherBytes;
}

/** Returns the script of a checked body. @throws KernelError `E_REQUEST_INVALID` for an invalid or looser policy */
export function scriptOf({ code, language, policy = {}, approve }: ScriptBody, server: ChainPolicy): ScriptRequest {
  return {
    code,
    policy: tightenPolicy(policy, server),
    ...(language === undefined ? {} : { language }),
    ...(approve === undefined ? {} : { approve }),
  };
}

/** Fields of a body that describe a script. */
interface ScriptBody {
  readonly code: string;
  readonly language?: SandboxLanguage;
  readonly policy?: Partial<ChainPolicy>;
  readonly approve?: ApproveMode;
}

/**
 * Returns the policy of a request after checking that no field loosens the server's policy.
 * @throws KernelError `E_REQUEST_INVALID` that names the field and both values
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
  // For `maxRiskUnapproved` a lower risk is stricter, for `defaultRisk` a higher one.
  if (field === 'maxRiskUnapproved') return compareRisk(merged[field], server[field]) > 0;
  if (field === 'defaultRisk') return compareRisk(merged[field], server[field]) < 0;
  return merged[field] > server[field];
}
