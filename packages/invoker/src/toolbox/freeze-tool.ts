import {
  foreignTool,
  isHostedTool,
  isKernelError,
  isLocalTool,
  isProviderDefinedTool,
  isToolRisk,
  KernelError,
  maxRetriesOfCall,
  maxToolDescriptionCharacters,
  notCallableFromChain,
  originOf,
  toolNamePattern,
  toolOrigin,
  toolsInside,
  toolsInsideOf,
} from '@ravi/kernel';
import type {
  AnyTool,
  JsonObject,
  JsonSchema,
  ProviderDefinedTool,
  Tool,
  ToolCaller,
  ToolConcurrency,
  ToolOrigin,
  ToolRetry,
} from '@ravi/kernel';
import { deepFreeze, visibleText, withVisibleText } from '@ravi/support';
import { sha256OfJson } from '../arguments/digest.ts';

const frozen = new WeakMap<AnyTool, AnyTool>();
const frozenForeign = new WeakMap<AnyTool, AnyTool>();
/** Longest delay before the first repetition of a call. */
const maxRetryDelayMs = 60_000;
const callers: readonly ToolCaller[] = ['direct', 'chain'];

/**
 * Returns a frozen snapshot of the tool: name, risk, schemas and flags are read once, methods stay bound to the
 * original. Later changes of the original have no effect. Returns the same object for the same tool.
 * @throws KernelError `E_TOOL_INVALID` naming what is wrong
 */
export function freezeTool(tool: AnyTool): AnyTool {
  return freezeOnce(tool, frozen, (copy) => copy);
}

/**
 * Returns a frozen snapshot like {@link freezeTool}, of a tool that the operator did not write: it has the brand `foreignTool`.
 * A snapshot that a registry already made is returned as it is.
 * @throws KernelError `E_TOOL_INVALID`
 */
export function freezeForeignTool(tool: AnyTool): AnyTool {
  return freezeOnce(tool, frozenForeign, (copy) => ({ ...copy, [foreignTool]: true }));
}

function freezeOnce(tool: AnyTool, known: WeakMap<AnyTool, AnyTool>, finish: (copy: AnyTool) => AnyTool): AnyTool {
  if (typeof tool !== 'object' || tool === null) throw invalid(`${String(tool)} is not a tool`);
  const before = known.get(tool);
  if (before !== undefined) return before;
  const copy = Object.freeze(finish(readTool(tool)));
  known.set(tool, copy);
  // A snapshot stays what it is, wherever it is added or looked up next.
  frozen.set(copy, copy);
  frozenForeign.set(copy, copy);
  return copy;
}

function readTool(tool: AnyTool): AnyTool {
  try {
    return copyTool(tool);
  } catch (cause) {
    if (isKernelError(cause)) throw cause;
    throw new KernelError('E_TOOL_INVALID', 'A tool could not be read: one of its properties failed', { cause });
  }
}

function copyTool(tool: AnyTool): AnyTool {
  const { name, description } = tool;
  if (typeof name !== 'string' || !toolNamePattern.test(name)) {
    throw invalid(`Tool name ${JSON.stringify(name)} must match ${toolNamePattern.source}`);
  }
  if (typeof description !== 'string') throw invalid(`Tool ${name} has no description`);
  checkLength(description, name, 'description');
  const brand = (tool as { readonly [notCallableFromChain]?: boolean })[notCallableFromChain];
  const inside = toolsInsideOf(tool);
  const common = {
    name,
    description: visibleText(description),
    ...(brand === true ? { [notCallableFromChain]: true } : {}),
    ...(inside === undefined ? {} : { [toolsInside]: inside }),
    ...brandOfOrigin(tool),
  };
  if (isProviderDefinedTool(tool)) return { ...common, ...providerDefinedFields(tool) };
  if (isHostedTool(tool)) return { ...common, providerSpecs: snapshot(tool.providerSpecs, name, 'providerSpecs') };
  if (isLocalTool(tool)) return { ...common, ...localFields(tool) };
  throw invalid(`Tool ${name} has no execute, no handleCall and no providerSpecs`);
}

function brandOfOrigin(tool: AnyTool): { readonly [toolOrigin]?: ToolOrigin } {
  const { kind, source, name } = originOf(tool) ?? {};
  const isOrigin = [kind, source, name].every((part) => typeof part === 'string');
  return isOrigin ? { [toolOrigin]: Object.freeze({ kind, source, name }) as ToolOrigin } : {};
}

function providerDefinedFields(tool: ProviderDefinedTool): Omit<ProviderDefinedTool, 'name' | 'description'> {
  return {
    providerSpecs: snapshot(tool.providerSpecs, tool.name, 'providerSpecs'),
    callTypes: namesOf(tool.callTypes, tool.name, 'callTypes'),
    handleCall: tool.handleCall.bind(tool),
    ...riskOf(tool),
  };
}

function localFields(tool: Tool): Omit<Tool, 'name' | 'description'> {
  const { name, outputSchema, concurrency, allowedCallers, promptHint, artifacts, managesOwnTimeout } = tool;
  const { mode, retry } = tool;
  return {
    inputSchema: schemaOf(tool.inputSchema, name, 'inputSchema'),
    ...(outputSchema === undefined ? {} : { outputSchema: schemaOf(outputSchema, name, 'outputSchema') }),
    ...riskOf(tool),
    ...(tool.classifyRisk === undefined ? {} : { classifyRisk: tool.classifyRisk.bind(tool) }),
    ...(concurrency === undefined ? {} : { concurrency: freezeConcurrency(concurrency, name) }),
    ...(allowedCallers === undefined
      ? {}
      : { allowedCallers: namesOf(allowedCallers, name, 'allowedCallers', callers) }),
    ...(promptHint === undefined ? {} : { promptHint: visibleText(checkLength(promptHint, name, 'promptHint')) }),
    ...(artifacts === undefined ? {} : { artifacts: oneOf(artifacts, ['value', 'stream'], name, 'artifacts') }),
    ...(managesOwnTimeout === undefined
      ? {}
      : { managesOwnTimeout: flagOf(managesOwnTimeout, name, 'managesOwnTimeout') }),
    ...(mode === undefined ? {} : { mode: oneOf(mode, ['direct', 'background'], name, 'mode') }),
    ...(retry === undefined ? {} : { retry: freezeRetry(retry, name) }),
    idempotent: tool.idempotent === true,
    beginsLate: tool.beginsLate === true,
    suspends: tool.suspends === true,
    runAfterResponse: tool.runAfterResponse === true,
    deferLoading: tool.deferLoading === true,
    ...(tool.documentation === undefined ? {} : { documentation: visibleDocumentation(tool.documentation.bind(tool)) }),
    ...(tool.checkCall === undefined ? {} : { checkCall: tool.checkCall.bind(tool) }),
    ...(tool.reconcile === undefined ? {} : { reconcile: tool.reconcile.bind(tool) }),
    execute: tool.execute.bind(tool),
  };
}

function checkLength(text: string, name: string, field: string): string {
  if (text.length <= maxToolDescriptionCharacters) return text;
  throw invalid(
    `Tool ${name}: ${field} has ${text.length} characters; at most ${maxToolDescriptionCharacters} are allowed`,
  );
}

function visibleDocumentation(read: () => string): () => string {
  return () => visibleText(String(read()));
}

function riskOf(tool: Tool | ProviderDefinedTool): Pick<Tool, 'risk'> {
  const { risk } = tool;
  if (risk === undefined) return {};
  if (!isToolRisk(risk))
    throw invalid(`Tool ${tool.name} has risk ${JSON.stringify(risk)}; it must be safe, high or critical`);
  return { risk };
}

function freezeConcurrency(concurrency: ToolConcurrency, name: string): ToolConcurrency {
  if (concurrency === 'parallel' || concurrency === 'exclusive') return concurrency;
  if (typeof concurrency !== 'object' || typeof concurrency?.keys !== 'function') {
    throw invalid(`Tool ${name}: concurrency must be parallel, exclusive or an object with a keys function`);
  }
  return Object.freeze({ keys: concurrency.keys.bind(concurrency) });
}

function freezeRetry(retry: ToolRetry | false, name: string): ToolRetry | false {
  if (retry === false) return false;
  if (typeof retry !== 'object' || retry === null || Array.isArray(retry)) {
    throw invalid(`Tool ${name}: retry must be false or an object`);
  }
  const { maxRetries, delayMs } = retry;
  return Object.freeze({
    ...(maxRetries === undefined
      ? {}
      : { maxRetries: countOf(maxRetries, { name, field: 'retry.maxRetries', min: 0, max: maxRetriesOfCall }) }),
    ...(delayMs === undefined
      ? {}
      : { delayMs: countOf(delayMs, { name, field: 'retry.delayMs', min: 1, max: maxRetryDelayMs }) }),
  });
}

interface CountLimits {
  readonly name: string;
  readonly field: string;
  readonly min: number;
  readonly max: number;
}

function countOf(value: number, { name, field, min, max }: CountLimits): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalid(`Tool ${name}: ${field} must be a whole number from ${min} to ${max}, got ${String(value)}`);
}

function oneOf<Value extends string>(value: Value, values: readonly Value[], name: string, field: string): Value {
  if (!values.includes(value)) throw invalid(`Tool ${name}: ${field} must be ${values.join(' or ')}`);
  return value;
}

function flagOf(value: boolean, name: string, field: string): boolean {
  if (typeof value !== 'boolean') throw invalid(`Tool ${name}: ${field} must be true or false`);
  return value;
}

function namesOf<Value extends string>(
  list: readonly Value[],
  name: string,
  field: string,
  known?: readonly Value[],
): readonly Value[] {
  if (!Array.isArray(list)) throw invalid(`Tool ${name}: ${field} must be a list`);
  const unknown = (list as readonly Value[]).find(
    (each) => typeof each !== 'string' || known?.includes(each) === false,
  );
  if (unknown !== undefined) throw invalid(`Tool ${name}: ${field} may not hold ${JSON.stringify(unknown)}`);
  return Object.freeze([...(list as readonly Value[])]);
}

function schemaOf(schema: unknown, name: string, field: string): JsonSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw invalid(`Tool ${name}: ${field} must be a JSON Schema object`);
  }
  const { schema: clean, problem } = withVisibleText(snapshot(schema as JsonSchema, name, field) as JsonObject);
  if (problem !== undefined) throw invalid(`Tool ${name}: ${field}: ${problem}`);
  return deepFreeze(clean);
}

function snapshot<Value extends JsonSchema | Readonly<Record<string, JsonObject>>>(
  value: Value,
  name: string,
  field: string,
): Value {
  try {
    return deepFreeze(JSON.parse(JSON.stringify(value)) as Value);
  } catch (cause) {
    throw new KernelError('E_TOOL_INVALID', `Tool ${name}: ${field} is not JSON`, { cause });
  }
}

function invalid(message: string): KernelError {
  return new KernelError('E_TOOL_INVALID', message);
}

// A tool of a toolbox is frozen, so its digest never changes.
const digests = new WeakMap<AnyTool, string>();

/** Returns the SHA-256 of a tool's definition as approvers and providers see it. Its code is not part of the digest. */
export function toolDigest(tool: AnyTool): string {
  const known = digests.get(tool);
  if (known !== undefined) return known;
  const digest = sha256OfJson(definitionOf(tool));
  if (Object.isFrozen(tool)) digests.set(tool, digest);
  return digest;
}

function definitionOf(tool: AnyTool): JsonObject {
  const { name, description } = tool;
  const risk = 'risk' in tool ? (tool.risk ?? null) : null;
  if (!isLocalTool(tool)) return { name, description, providerSpecs: tool.providerSpecs, risk };
  return { name, description, inputSchema: tool.inputSchema as JsonObject, risk };
}
