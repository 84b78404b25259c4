import { sha256OfJson } from '@ravi/invoker';
import type { ApprovalRequest, Clock, JsonObject, JsonSchema } from '@ravi/kernel';
import { inspectArguments } from '@ravi/support';
import type { ActiveCall } from './active-call.ts';
import { refused } from './call-steps.ts';
import { keyOfCall } from './call-turns.ts';
import type { DescriptorCall, GatewayTool } from './gateway-types.ts';
import { keyOfRun } from './runs.ts';

const name = 'tool_chain_continue';

const description =
  'Continues a script of tool_chain that waits for approval: a person decides about the waiting call. Repeat its request, tool and args exactly. With skip: true the call is not made, and the script continues without it. Do not run the script again.';

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    request: { type: 'string', description: 'Id of the request' },
    tool: { type: 'string', description: 'Tool of the waiting call' },
    args: { type: 'object', description: 'Arguments of the waiting call' },
    skip: { type: 'boolean', description: 'True to leave the call out' },
  },
  required: ['request', 'tool', 'args'],
  additionalProperties: false,
};

interface Waiting {
  readonly call: ActiveCall;
  readonly request: ApprovalRequest;
}

/** Parts of a continuation. */
export interface ContinuationOptions {
  readonly active: ReadonlyMap<string, ActiveCall>;
  readonly clock: Clock;
}

/**
 * Creates the tool with which a model continues a script that waits for approval. Its arguments repeat the waiting call, so that the
 * framework shows them to the person who decides; they must be equal to the call.
 */
export function createContinuation({ active, clock }: ContinuationOptions): GatewayTool {
  /** Requests that a framework has been asked to show, by the call id of this tool. */
  const asked = new Map<string, ApprovalRequest>();

  function find(args: unknown, { run }: DescriptorCall): Waiting | undefined {
    const { request: id, tool: toolName, args: repeated } = (args ?? {}) as JsonObject;
    for (const call of active.values()) {
      if (keyOfRun(call.run) !== keyOfRun(run)) continue;
      const request = call.requests.find((each) => each.id === id);
      if (request === undefined || request.tool !== toolName || !isEqual(repeated, request.args)) continue;
      return { call, request };
    }
    return undefined;
  }

  function forgetOld(): void {
    for (const [key, { expiresAt }] of asked) if (expiresAt <= clock.now()) asked.delete(key);
  }

  const unknown = (): ReturnType<typeof refused> =>
    refused('No script waits for this request with this tool and these arguments. Repeat all three exactly');

  return {
    name,
    description,
    inputSchema,
    risk: 'high',
    isRiskFixed: true,
    async check(args, call, { isHistory } = {}) {
      const found = find(args, call);
      if (found === undefined || isSkip(args)) return { needsApproval: false };
      forgetOld();
      if (isHistory !== true) asked.set(keyOfCall(call), found.request);
      return { needsApproval: true, request: found.request };
    },
    async call(args, call) {
      const found = find(args, call);
      if (found === undefined) return unknown();
      if (!isSkip(args)) {
        asked.set(keyOfCall(call), found.request);
        return { status: 'needs-approval', requests: [found.request] };
      }
      found.call.decide({ decision: 'skipped', requestId: found.request.id });
      found.call.follow(call.signal);
      return found.call.outcome();
    },
    async decide(args, call, decision) {
      const found = find(args, call);
      if (found === undefined) return unknown();
      const { id } = found.request;
      const wasAsked = asked.get(keyOfCall(call))?.id === id && (decision.requestId ?? id) === id;
      asked.delete(keyOfCall(call));
      if (!wasAsked && !isSkip(args)) return refused('No approval of this continuation was requested');
      found.call.decide({ ...(isSkip(args) ? { decision: 'skipped' } : decision), requestId: id });
      found.call.follow(call.signal);
      return found.call.outcome();
    },
  };
}

function isSkip(args: unknown): boolean {
  return (args as JsonObject | null)?.['skip'] === true;
}

function isEqual(left: unknown, right: JsonObject): boolean {
  const inspected = inspectArguments(left, Number.MAX_SAFE_INTEGER);
  return 'args' in inspected && sha256OfJson(inspected.args) === sha256OfJson(right);
}
