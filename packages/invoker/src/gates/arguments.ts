import { isKernelError, isLocalTool } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { ArtifactPlace } from '@ravi/support';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopInvalidTool, stopWithError } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import { validateArguments } from '../validation/validate-arguments.ts';

/** Validates the arguments that will run against the tool's `inputSchema`; bytes and streams cannot be validated. */
export function argumentsGate(pending: PendingCall): GateOutcome {
  return checkArguments(pending) ?? pending;
}

/** Returns a refusal if reading the arguments reported a problem. */
export function unreadable(pending: PendingCall, problem: string | undefined): GateStop | undefined {
  return problem === undefined ? undefined : invalid(pending, problem);
}

/** Returns a refusal if the arguments do not match the schema. Places in `undecided` are skipped. */
export function checkArguments(
  pending: PendingCall,
  undecided: readonly ArtifactPlace['path'][] = opaquePaths(pending),
): GateStop | undefined {
  const { tool } = pending;
  if (!isLocalTool(tool)) return undefined;
  try {
    const { schemas } = pending.runtime;
    // A tool with an invalid outputSchema must not run: its result could not be checked after the effect.
    if (tool.outputSchema !== undefined) schemas.compile(tool.outputSchema);
    const problem = validateArguments(schemas, tool.inputSchema, pending.args, undecided);
    return problem === undefined ? undefined : invalid(pending, problem);
  } catch (error) {
    if (!isKernelError(error, 'E_TOOL_INVALID')) throw error;
    return stopInvalidTool(pending.name, error);
  }
}

function invalid(pending: PendingCall, problem: string): GateStop {
  return stopWithError('E_ARGUMENTS_INVALID', `Invalid arguments for ${pending.name}: ${problem}`);
}

function opaquePaths({ content }: PendingCall): readonly ArtifactPlace['path'][] {
  return content.length === 0 ? emptyArray : content.filter((place) => place.isOpaque).map(({ path }) => path);
}
