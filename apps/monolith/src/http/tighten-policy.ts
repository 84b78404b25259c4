import { compareRisk, defineChainPolicy, isKernelError } from '@ravi/kernel';
import type { ChainPolicy, JsonObject } from '@ravi/kernel';
import { problem } from './problem.ts';

/**
 * The fields of a request's policy, checked: each may make the server's policy stricter and none may loosen it.
 * @throws KernelError `E_REQUEST_INVALID` naming the field and both values
 */
export function tightenPolicy(requested: JsonObject, server: ChainPolicy): Partial<ChainPolicy> {
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
