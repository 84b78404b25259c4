import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { jsonTextProblem } from '@ravi/support';

/** Reason why a message is not handled, as the protocol writes it. */
export interface MessageProblem {
  readonly code: number;
  readonly message: string;
}

/** Value of a message, or the reason why it is refused. */
export type ParsedMessage = { readonly value: unknown } | { readonly problem: MessageProblem };

/**
 * Parses a message as JSON, after a check of what parsing it would cost. Refuses one that is not JSON in UTF-8, nests too deep or holds too
 * many values, and a batch, which neither version of the protocol has.
 */
export function parseMessage(bytes: Uint8Array): ParsedMessage {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const excess = jsonTextProblem(text);
    if (excess !== undefined) return refused(ProtocolErrorCode.InvalidRequest, `The message ${excess}`);
    const value = JSON.parse(text) as unknown;
    // A list would count as one request of the caller.
    if (Array.isArray(value)) {
      return refused(ProtocolErrorCode.InvalidRequest, 'A request takes one message, not a list of them');
    }
    return { value };
  } catch {
    return refused(ProtocolErrorCode.ParseError, 'The message is not JSON in UTF-8');
  }
}

/** Returns the reason why a message that is too large is refused. */
export function tooLarge(maxBytes: number): MessageProblem {
  return { code: ProtocolErrorCode.InvalidRequest, message: `The message is larger than ${maxBytes} bytes` };
}

function refused(code: number, message: string): ParsedMessage {
  return { problem: { code, message } };
}
