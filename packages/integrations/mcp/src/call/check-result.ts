import type { CallToolResult } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { shown } from '../connection/describe-failure.ts';
import { isObject } from '../connection/message-kind.ts';

/**
 * Returns the result of a tool, if every part of it that is read has its type. The schemas of the SDK check the same, and parts that
 * no code reads, in ten times the time.
 * @throws KernelError `E_OUTPUT_INVALID`
 */
export function checkedResult(result: unknown, isModern: boolean): CallToolResult {
  if (!isObject(result)) throw invalid('is not an object');
  const { content, structuredContent, isError } = result;
  if (!Array.isArray(content)) throw invalid('has no list of blocks');
  for (const block of content as readonly unknown[]) {
    const problem = blockProblem(block);
    if (problem !== undefined) throw invalid(`has ${problem}`);
  }
  if (isError !== undefined && typeof isError !== 'boolean') throw invalid('has an isError that is not true or false');
  // Since version 2026-07-28 it may be any value.
  if (structuredContent !== undefined && !isModern && !isObject(structuredContent))
    throw invalid('has a structured content that is not an object');
  return result as unknown as CallToolResult;
}

function blockProblem(block: unknown): string | undefined {
  if (!isObject(block)) return 'a block that is not an object';
  const { type } = block;
  switch (type) {
    case 'text':
      return wrongText(type, block, ['text']);
    case 'image':
    case 'audio':
      return wrongText(type, block, ['data', 'mimeType']);
    case 'resource_link':
      return wrongText(type, block, ['uri', 'name'], ['mimeType', 'description']);
    case 'resource': {
      const { resource } = block;
      if (!isObject(resource)) return 'a block of the type resource without a resource';
      return wrongText(type, resource, ['uri', 'text' in resource ? 'text' : 'blob'], ['mimeType']);
    }
    default:
      return `a block of the unknown type ${shown(JSON.stringify(type))}`;
  }
}

function wrongText(
  type: string,
  fields: JsonObject,
  required: readonly string[],
  optional: readonly string[] = [],
): string | undefined {
  const wrong =
    required.find((name) => typeof fields[name] !== 'string') ??
    optional.find((name) => fields[name] !== undefined && typeof fields[name] !== 'string');
  return wrong === undefined ? undefined : `a block of the type ${type} whose ${wrong} is not a text`;
}

function invalid(problem: string): KernelError {
  return new KernelError('E_OUTPUT_INVALID', `The result of the MCP server is not valid: it ${problem}`);
}
