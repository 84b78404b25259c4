import { createHmac, timingSafeEqual } from 'node:crypto';
import type { GatewayDecision } from '@ravi/gateway-kit';
import { KernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';

/** Decision on one request, with the signature of this program. */
export interface SignedDecision {
  readonly requestId: string;
  readonly decision: 'approved' | 'denied' | 'modified';
  /** Arguments to run with instead; present for `modified`. */
  readonly modifiedArgs?: JsonObject;
  /** Reason, for the model. */
  readonly reason?: string;
  /** Name of the person who decided, for the trace. */
  readonly approver?: string;
  readonly signature: string;
}

/** Value to resume with. */
export interface ApprovalAnswer {
  readonly decisions: readonly SignedDecision[];
}

/** Signs decisions, and finds those that it has signed. */
export interface DecisionSigner {
  sign(decision: Omit<SignedDecision, 'signature'>): SignedDecision;
  /** Returns the decisions in a value that have a valid signature. Everything else is left out. */
  read(value: unknown): readonly (GatewayDecision & { readonly requestId: string })[];
}

const minKeyBytes = 32;

/**
 * Creates a {@link DecisionSigner}. Mastra takes the value to resume with from the arguments of a call, if the model wrote one there,
 * so a decision without a signature may be the model's own.
 * @throws KernelError `E_CONFIG_INVALID` for a key below 32 bytes
 */
export function createDecisionSigner(key: Uint8Array): DecisionSigner {
  if (key.byteLength < minKeyBytes) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The decisionKey needs at least ${minKeyBytes} bytes, it has ${key.byteLength}`,
    );
  }
  const signatureOf = ({
    requestId,
    decision,
    modifiedArgs,
    reason,
    approver,
  }: Omit<SignedDecision, 'signature'>): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([requestId, decision, sorted(modifiedArgs ?? null), reason ?? null, approver ?? null]))
      .digest('hex');
  const isSigned = (decision: SignedDecision): boolean => {
    const expected = Buffer.from(signatureOf(decision));
    const actual = Buffer.from(decision.signature);
    return expected.byteLength === actual.byteLength && timingSafeEqual(expected, actual);
  };
  return {
    sign: (decision) => ({ ...decision, signature: signatureOf(decision) }),
    read(value) {
      const decisions = isRecord(value) ? value['decisions'] : undefined;
      if (!Array.isArray(decisions)) return [];
      return decisions.flatMap((each: unknown) => {
        const decision = readDecision(each);
        if (decision === undefined || !isSigned(decision)) return [];
        const { signature: _signature, ...rest } = decision;
        return [rest];
      });
    },
  };
}

function readDecision(value: unknown): SignedDecision | undefined {
  if (!isRecord(value)) return undefined;
  const { requestId, decision, modifiedArgs, reason, approver, signature } = value;
  if (typeof requestId !== 'string' || typeof signature !== 'string') return undefined;
  if (decision !== 'approved' && decision !== 'denied' && decision !== 'modified') return undefined;
  return {
    requestId,
    decision,
    signature,
    ...(isRecord(modifiedArgs) ? { modifiedArgs: modifiedArgs as JsonObject } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof approver === 'string' ? { approver } : {}),
  };
}

// The order of keys may change where the answer is stored.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (!isRecord(value)) return value;
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
