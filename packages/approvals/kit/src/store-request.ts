import { isKernelError } from '@ravi/kernel';
import type { ApprovalBinding, ApprovalRequest, ApprovalStore } from '@ravi/kernel';

const boundFields: readonly (keyof ApprovalBinding)[] = ['runId', 'principal', 'tool', 'toolDigest', 'argsDigest'];

/**
 * Stores a request under its id. Returns `same` if the id is already taken by a request for the same call, as after a
 * restart, and `other` if it is taken by a request for another call.
 */
export async function storeRequest(store: ApprovalStore, request: ApprovalRequest): Promise<'new' | 'same' | 'other'> {
  try {
    await store.create(request);
    return 'new';
  } catch (error) {
    if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
  }
  const known = await store.get(request.id);
  return boundFields.every((field) => known?.request[field] === request[field]) ? 'same' : 'other';
}
