import { isKernelError, isLocalTool } from '@ravi/kernel';
import type { AnyTool, ApprovalRequest, EditProblem, JsonObject, JsonValue } from '@ravi/kernel';
import { inspectArguments } from '@ravi/support';
import { redacted } from '../arguments/redact.ts';
import { describeProblem } from '../validation/describe-problem.ts';
import type { Problem } from '../validation/run.ts';
import type { SchemaCache } from '../validation/schema-cache.ts';
import { findProblems, pointerOf } from '../validation/validate-arguments.ts';
import { pointerStep, restoreHidden } from './shown-arguments.ts';
import type { ShownArguments } from './shown-arguments.ts';

/** Tool and limits that changed arguments are checked against. */
export interface EditChecks {
  readonly tool: AnyTool;
  readonly schemas: SchemaCache;
  readonly maxArgumentBytes: number;
}

const maxProblems = 20;
const maxChanged = 50;

/** Returns the problems of arguments that an approver changed, for a process that has the original ones. */
export function checkEdit(
  edited: JsonObject,
  { original, shown }: { readonly original: JsonObject; readonly shown: ShownArguments },
  checks: EditChecks,
): readonly EditProblem[] {
  const restored = restoreHidden(edited, original, shown);
  return 'unclear' in restored ? restored.unclear.map(unclearAt) : check(restored.args, [], checks);
}

/**
 * Returns the problems of arguments that an approver changed, for a process that only has the shown ones. Strings with a
 * hidden part are left to the process that runs the call.
 */
export function checkShownEdit(
  edited: JsonObject,
  { args: shown, hidden = [] }: Pick<ApprovalRequest, 'args' | 'hidden'>,
  checks: EditChecks,
): readonly EditProblem[] {
  const hiddenAt = new Map(hidden.map((pointer) => [pointer, partsAt(shown, pointer)]));
  const restored = restoreHidden(edited, shown, { args: shown, hidden: hiddenAt });
  if ('unclear' in restored) return restored.unclear.map(unclearAt);
  return check(edited, placeholdersIn(edited, ''), checks);
}

/** Returns the JSON pointers of the fields in which two arguments differ, at most 50. */
export function changedFields(before: JsonValue | undefined, after: JsonValue | undefined): readonly string[] {
  const changed: string[] = [];
  const compare = (left: JsonValue | undefined, right: JsonValue | undefined, pointer: string): void => {
    if (changed.length >= maxChanged || left === right) return;
    if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) {
      return void changed.push(pointer);
    }
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      compare(left[key], right[key], `${pointer}/${pointerStep(key)}`);
    }
  };
  compare(before, after, '');
  return changed;
}

function check(
  args: JsonObject,
  hidden: readonly string[],
  { tool, schemas, maxArgumentBytes }: EditChecks,
): readonly EditProblem[] {
  const inspected = inspectArguments(args, maxArgumentBytes);
  if ('problem' in inspected) return [{ pointer: '', message: inspected.problem }];
  if (!isLocalTool(tool)) return [];
  const undecided = [...hidden, ...inspected.artifacts.map(({ path }) => pointerOf(path))];
  try {
    const problems = findProblems(schemas, tool.inputSchema, inspected.args, undecided);
    const alternative = problems.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
    const found = alternative === undefined ? problems.slice(0, maxProblems).map((each) => [each]) : [problems];
    return found.map((each) => ({
      pointer: fieldOf(alternative ?? each[0]),
      message: describeProblem(each, tool.inputSchema) ?? 'is not valid',
    }));
  } catch (error) {
    if (!isKernelError(error, 'E_TOOL_INVALID')) throw error;
    return [{ pointer: '', message: error.message }];
  }
}

// A problem about a missing or unknown member is at this member.
function fieldOf(problem: Problem | undefined): string {
  if (problem === undefined) return '';
  const { missingProperty, additionalProperty, unevaluatedProperty } = problem.params;
  const name = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  return typeof name === 'string' ? `${problem.instancePath}/${pointerStep(name)}` : problem.instancePath;
}

function unclearAt(pointer: string): EditProblem {
  return { pointer, message: `"${redacted}" stands for a secret only where one is hidden, in the same number` };
}

function placeholdersIn(value: JsonValue, pointer: string): readonly string[] {
  if (typeof value === 'string') return value.includes(redacted) ? [pointer] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => placeholdersIn(child, `${pointer}/${pointerStep(key)}`));
}

/** Returns one placeholder for each hidden part of the string at a place. */
function partsAt(shown: JsonObject, pointer: string): readonly string[] {
  let value: JsonValue | undefined = shown;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return typeof value === 'string' ? Array.from({ length: value.split(redacted).length - 1 }, () => redacted) : [];
}

function isContainer(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null;
}
