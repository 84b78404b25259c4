import { maxBridgeMessageBytes } from '@ravi/kernel';
import type { SandboxLimits, SandboxRequest } from '@ravi/kernel';

/** A request whose limits do not exceed what a frame carries. */
export interface BoundedRequest extends SandboxRequest {
  readonly limits: Required<SandboxLimits>;
}

/** Returns the request with every size limit set: `maxBridgeMessageBytes` replaces larger and absent limits. */
export function boundedRequest(request: SandboxRequest): BoundedRequest {
  const { limits } = request;
  return {
    ...request,
    limits: {
      ...limits,
      maxConsoleBytes: bounded(limits.maxConsoleBytes),
      maxResultBytes: bounded(limits.maxResultBytes),
      maxSourceBytes: bounded(limits.maxSourceBytes),
      maxCallInputBytes: bounded(limits.maxCallInputBytes),
      maxCallOutputBytes: bounded(limits.maxCallOutputBytes),
    },
  };
}

// The guest counts UTF-16 units, which take up to three bytes: a frame has room for all of them.
function bounded(maxBytes: number = maxBridgeMessageBytes): number {
  return Math.min(maxBytes, maxBridgeMessageBytes);
}

type CallLimits = Required<Pick<SandboxLimits, 'maxCallInputBytes' | 'maxCallOutputBytes'>>;

/**
 * Checks the size of a call.
 * @throws RangeError with the code `E_LIMIT_CALL_INPUT`, which the script receives
 */
export function checkCallInput(payload: string, { maxCallInputBytes }: CallLimits): void {
  if (!exceeds(payload, maxCallInputBytes)) return;
  const message = `The arguments of the call are larger than their limit (maxCallInputBytes: ${maxCallInputBytes})`;
  throw Object.assign(new RangeError(message), { code: 'E_LIMIT_CALL_INPUT' });
}

/**
 * Checks the size of a reply.
 * @throws RangeError with the code `E_LIMIT_CALL_OUTPUT`, which the script receives
 */
export function checkCallOutput(reply: string, { maxCallOutputBytes }: CallLimits): void {
  if (!exceeds(reply, maxCallOutputBytes)) return;
  const message = `The result of the call is larger than its limit (maxCallOutputBytes: ${maxCallOutputBytes})`;
  throw Object.assign(new RangeError(message), { code: 'E_LIMIT_CALL_OUTPUT' });
}

// Counts the bytes only if they may exceed the limit: a UTF-16 unit takes at most three.
function exceeds(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
