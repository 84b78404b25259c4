import { maxBridgeMessageBytes } from '@ravi/kernel';
import type { SandboxLimits, SandboxRequest } from '@ravi/kernel';

/** A request whose limits are no larger than what a frame carries. */
export interface CarriedRequest extends SandboxRequest {
  readonly limits: Required<SandboxLimits>;
}

/** The request with every limit of text filled in: a larger or absent one means `maxBridgeMessageBytes`. */
export function carriedRequest(request: SandboxRequest): CarriedRequest {
  const { limits } = request;
  return {
    ...request,
    limits: {
      ...limits,
      maxConsoleBytes: carried(limits.maxConsoleBytes),
      maxResultBytes: carried(limits.maxResultBytes),
      maxSourceBytes: carried(limits.maxSourceBytes),
      maxCallInputBytes: carried(limits.maxCallInputBytes),
      maxCallOutputBytes: carried(limits.maxCallOutputBytes),
    },
  };
}

// Of text with three bytes a character the guest counts a third: a frame has room for all of it.
function carried(maxBytes: number = maxBridgeMessageBytes): number {
  return Math.min(maxBytes, maxBridgeMessageBytes);
}
