import type { FunctionSpec, ModelEvent, ModelProvider, ModelRequest, ModelWarning } from '@ravi/kernel';
import { withStream } from '@ravi/support';
import { createResponseBuilder } from '../response-builder.ts';
import type { ResponseBuilder } from '../response-builder.ts';
import { callIdsOf } from '../arrange-turns.ts';
import { argumentsOf } from '../parse-arguments.ts';
import type { ParsedArguments } from '../parse-arguments.ts';
import type { Scanned } from './call-block.ts';
import { createCallScanner } from './call-scanner.ts';
import { historyAsText, toolInstructions } from './prompt.ts';

/**
 * Wraps a provider for a model without native tools: the system prompt describes the tools, and `<tool_call>` blocks
 * (or fenced JSON marked `tool_call`) in its text become calls. Calls, ids and results work as with any other provider.
 * A block that is cut off or is not JSON becomes a call with invalid arguments; the provider's own tools are dropped.
 */
export function withTextTools(provider: ModelProvider): ModelProvider {
  return withStream(provider, async function* (request, options) {
    const tools = request.tools.filter((tool): tool is FunctionSpec => tool.type === 'function');
    for (const warning of droppedTools(request)) yield { type: 'warning', warning };
    const { toolChoice, ...rest } = request;
    const system = [request.system, toolInstructions(tools, toolChoice)].filter(Boolean).join('\n\n');
    const inner = {
      ...rest,
      messages: historyAsText(request.messages),
      tools: [],
      ...(system === '' ? {} : { system }),
    };

    let queue: ModelEvent[] = [];
    const reader = createTextCallReader(request, (event) => queue.push(event));
    for await (const event of provider.stream(inner, options)) {
      reader.take(event);
      yield* queue;
      queue = [];
    }
  });
}

function droppedTools(request: ModelRequest): ModelWarning[] {
  return request.tools.flatMap((tool): ModelWarning[] => {
    if (tool.type === 'function') return [];
    const message = `Tool ${tool.name} is not offered: it belongs to the provider, and tools described in the prompt must be functions`;
    return [{ code: 'tool-dropped', message, tool: tool.name }];
  });
}

function createTextCallReader(
  request: ModelRequest,
  emit: (event: ModelEvent) => void,
): { take(event: ModelEvent): void } {
  const context = { usedIds: callIdsOf(request.messages), source: 'text', nameOf: (name: string) => name };
  const builder = createResponseBuilder(context, emit);
  const scanner = createCallScanner();

  const use = (found: readonly Scanned[]): void => {
    for (const piece of found) {
      if (piece.type === 'call') addCall(builder, piece.text, piece.isWhole);
      // Blank lines between calls need no block.
      else if (!builder.hasCalls || piece.text.trim() !== '') builder.text(piece.text);
    }
  };

  return {
    take(event) {
      if (event.type === 'text-delta') return use(scanner.push(event.text));
      if (event.type === 'block' && event.block.type === 'text') return undefined;
      if (event.type === 'finish' || event.type === 'error') {
        use(scanner.end(event.type === 'error' || event.reason !== 'end'));
      }
      if (event.type === 'finish') {
        const { usage, reason, type: _type, ...end } = event;
        builder.usage(usage);
        return builder.finish(builder.hasCalls && reason === 'end' ? 'tool-use' : reason, end);
      }
      if (event.type === 'error') return builder.fail(event.error);
      if (event.type !== 'usage') builder.closeText();
      return emit(event);
    },
  };
}

function addCall(builder: ResponseBuilder, text: string, isWhole: boolean): void {
  const { name, whole } = readCall(text, isWhole);
  builder.closeText();
  builder.openCall({ wireName: name }).end({ whole });
}

/** Parses a call; models write `arguments`, `parameters` or `input`. */
function readCall(text: string, isWhole: boolean): { readonly name: string; readonly whole: ParsedArguments } {
  const invalid = (reason: 'truncated' | 'malformed') => ({
    name: /"name"\s*:\s*"([^"\\]+)"/u.exec(text)?.[1] ?? 'unknown',
    whole: { arguments: {}, invalid: { reason, text } },
  });
  if (!isWhole) return invalid('truncated');
  try {
    const call = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    if (typeof call?.['name'] !== 'string') return invalid('malformed');
    return { name: call['name'], whole: argumentsOf(call['arguments'] ?? call['parameters'] ?? call['input']) };
  } catch {
    return invalid('malformed');
  }
}
