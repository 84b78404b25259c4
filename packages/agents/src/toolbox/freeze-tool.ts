import {
  isHostedTool,
  isLocalTool,
  isProviderDefinedTool,
  isToolRisk,
  KernelError,
  notCallableFromChain,
  toolNamePattern,
} from '@ravi/kernel';
import type { AnyTool, JsonObject, JsonSchema, ProviderDefinedTool, Tool } from '@ravi/kernel';
import { deepFreeze } from '../arguments/deep-freeze.ts';

const frozen = new WeakMap<AnyTool, AnyTool>();

/**
 * The tool as it was at this moment: name, risk, schemas and flags are read once and frozen, methods stay bound to
 * the original. A getter that changes its mind changes nothing. Returns the same object for the same tool.
 * @throws KernelError `E_TOOL_INVALID` naming what is wrong
 */
export function freezeTool(tool: AnyTool): AnyTool {
  const known = frozen.get(tool);
  if (known !== undefined) return known;
  const copy = Object.freeze(copyTool(tool));
  frozen.set(tool, copy);
  frozen.set(copy, copy);
  return copy;
}

function copyTool(tool: AnyTool): AnyTool {
  const { name, description } = tool;
  if (typeof name !== 'string' || !toolNamePattern.test(name)) {
    throw invalid(`Tool name ${JSON.stringify(name)} must match ${toolNamePattern.source}`);
  }
  if (typeof description !== 'string') throw invalid(`Tool ${name} has no description`);
  const brand = (tool as { readonly [notCallableFromChain]?: boolean })[notCallableFromChain];
  const common = { name, description, ...(brand === true ? { [notCallableFromChain]: true } : {}) };
  if (isProviderDefinedTool(tool)) return { ...common, ...providerDefinedFields(tool) };
  if (isHostedTool(tool)) return { ...common, providerSpecs: snapshot(tool.providerSpecs, name, 'providerSpecs') };
  if (isLocalTool(tool)) return { ...common, ...localFields(tool) };
  throw invalid(`Tool ${name} has no execute, no handleCall and no providerSpecs`);
}

function providerDefinedFields(tool: ProviderDefinedTool): Omit<ProviderDefinedTool, 'name' | 'description'> {
  return {
    providerSpecs: snapshot(tool.providerSpecs, tool.name, 'providerSpecs'),
    callTypes: Object.freeze([...tool.callTypes]),
    handleCall: tool.handleCall.bind(tool),
    ...riskOf(tool),
  };
}

function localFields(tool: Tool): Omit<Tool, 'name' | 'description'> {
  const { outputSchema, concurrency, allowedCallers, promptHint, artifacts, timeLimit } = tool;
  return {
    inputSchema: schemaOf(tool.inputSchema, tool.name, 'inputSchema'),
    ...(outputSchema === undefined ? {} : { outputSchema: schemaOf(outputSchema, tool.name, 'outputSchema') }),
    ...riskOf(tool),
    ...(tool.classifyRisk === undefined ? {} : { classifyRisk: tool.classifyRisk.bind(tool) }),
    ...(concurrency === undefined ? {} : { concurrency: freezeConcurrency(concurrency) }),
    ...(allowedCallers === undefined ? {} : { allowedCallers: Object.freeze([...allowedCallers]) }),
    ...(promptHint === undefined ? {} : { promptHint }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(timeLimit === undefined ? {} : { timeLimit }),
    idempotent: tool.idempotent === true,
    suspends: tool.suspends === true,
    deferLoading: tool.deferLoading === true,
    ...(tool.documentation === undefined ? {} : { documentation: tool.documentation.bind(tool) }),
    execute: tool.execute.bind(tool),
  };
}

function riskOf(tool: Tool | ProviderDefinedTool): Pick<Tool, 'risk'> {
  const { risk } = tool;
  if (risk === undefined) return {};
  if (!isToolRisk(risk))
    throw invalid(`Tool ${tool.name} has risk ${JSON.stringify(risk)}; it must be safe, high or critical`);
  return { risk };
}

function freezeConcurrency(concurrency: NonNullable<Tool['concurrency']>): NonNullable<Tool['concurrency']> {
  return typeof concurrency === 'string' ? concurrency : Object.freeze({ keys: concurrency.keys.bind(concurrency) });
}

function schemaOf(schema: unknown, name: string, field: string): JsonSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw invalid(`Tool ${name}: ${field} must be a JSON Schema object`);
  }
  return snapshot(schema as JsonSchema, name, field);
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
