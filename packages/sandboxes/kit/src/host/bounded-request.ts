import { maxBridgeMessageBytes } from '@ravi/kernel';
import type { SandboxLimits, SandboxRequest } from '@ravi/kernel';

/** A request whose limits are no larger than what a frame carries. */
export interface BoundedRequest extends SandboxRequest {
  readonly limits: Required<SandboxLimits>;
}

/** The request with every limit of text filled in: a larger or absent one means `maxBridgeMessageBytes`. */
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

// Of text with three bytes a character the guest counts a third: a frame has room for all of it.
function bounded(maxBytes: number = maxBridgeMessageBytes): number {
  return Math.min(maxBytes, maxBridgeMessageBytes);
}

type CallLimits = Required<Pick<SandboxLimits, 'maxCallInputBytes' | 'maxCallOutputBytes'>>;

/** @throws RangeError with the code `E_LIMIT_CALL_INPUT`, which the script receives */
export function checkCallInput(payload: string, { maxCallInputBytes }: CallLimits): void {
  if (!exceeds(payload, maxCallInputBytes)) return;
  const message = `The call carries more than its limit (maxCallInputBytes: ${maxCallInputBytes})`;
  throw Object.assign(new RangeError(message), { code: 'E_LIMIT_CALL_INPUT' });
}

/** @throws RangeError with the code `E_LIMIT_CALL_OUTPUT`, which the script receives */
export function checkCallOutput(answer: string, { maxCallOutputBytes }: CallLimits): void {
  if (!exceeds(answer, maxCallOutputBytes)) return;
  const message = `The answer to the call is larger than its limit (maxCallOutputBytes: ${maxCallOutputBytes})`;
  throw Object.assign(new RangeError(message), { code: 'E_LIMIT_CALL_OUTPUT' });
}

// Counts only what could be too much: no character takes more than three bytes.
function exceeds(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
