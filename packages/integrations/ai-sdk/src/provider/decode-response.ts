import type {
  JsonObject,
  JsonValue,
  ModelEvent,
  ModelStopReason,
  ModelUsage,
  ModelWarning,
  UnknownBlock,
} from '@ravi/kernel';
import { createResponseBuilder, modelError } from '@ravi/provider-kit';
import type { OpenCall, ResponseBuilder, ResponseContext, ResponseEnd } from '@ravi/provider-kit';
import { errorOf } from './model-error.ts';
import type { StreamPart } from './encode-prompt.ts';

/** Decoder of one response. */
export interface ResponseDecoder {
  readonly isOver: boolean;
  read(part: StreamPart): void;
  /** Ends a response whose stream ended. */
  end(): void;
}

type PartOf<Type extends StreamPart['type']> = Extract<StreamPart, { readonly type: Type }>;

/** Creates a decoder. @param emit receives each event as it occurs */
export function createDecoder(context: ResponseContext, emit: (event: ModelEvent) => void): ResponseDecoder {
  const builder = createResponseBuilder(context, emit);
  const calls = new Map<string, OpenCall>();
  const sources: JsonValue[] = [];
  let metadata: ResponseEnd = {};

  const closeBlock = (type: 'text' | 'reasoning', data: unknown): void => {
    const opaque = data as JsonValue | undefined;
    if (builder.closeText(opaque) || opaque === undefined) return;
    // Reasoning that only the provider can read has no text.
    builder.block({ type, text: '', opaque: builder.opaque(opaque) });
  };

  const readCall = (part: PartOf<'tool-call'>): void => {
    const { toolCallId, toolName, input, providerMetadata } = part;
    if (part.providerExecuted === true) return builder.block(unknown(context, hostedCall(part)));
    const call = calls.get(toolCallId) ?? builder.openCall({ id: toolCallId, wireName: toolName });
    calls.delete(toolCallId);
    call.end({ whole: input, ...(providerMetadata === undefined ? {} : { opaque: providerMetadata as JsonValue }) });
  };

  const finish = ({ finishReason, usage, providerMetadata }: PartOf<'finish'>): void => {
    builder.usage(usageOf(usage));
    if (finishReason.unified === 'error') {
      return builder.fail(
        modelError('E_MODEL_UNAVAILABLE', 'The model provider ended the response with an error', true),
      );
    }
    if (finishReason.unified === 'length') for (const call of calls.values()) call.end({ wasCut: true });
    const details: JsonObject = {
      ...(providerMetadata === undefined ? {} : { providerMetadata: providerMetadata as JsonValue }),
      ...(sources.length === 0 ? {} : { sources }),
    };
    builder.finish(reasonOf(finishReason.unified, builder), {
      ...metadata,
      providerReason: finishReason.raw,
      details: Object.keys(details).length === 0 ? undefined : details,
    });
  };

  return {
    get isOver() {
      return builder.isOver;
    },
    read(part) {
      switch (part.type) {
        case 'stream-start':
          for (const warning of part.warnings) emit({ type: 'warning', warning: warningOf(warning) });
          return;
        case 'response-metadata':
          metadata = { responseId: part.id, model: part.modelId };
          return;
        case 'text-start':
        case 'reasoning-start':
          builder.closeText();
          return;
        case 'text-delta':
          return builder.text(part.delta);
        case 'reasoning-delta':
          return builder.reasoning(part.delta);
        case 'text-end':
          return closeBlock('text', part.providerMetadata);
        case 'reasoning-end':
          return closeBlock('reasoning', part.providerMetadata);
        case 'tool-input-start':
          if (part.providerExecuted !== true) {
            calls.set(part.id, builder.openCall({ id: part.id, wireName: part.toolName }));
          }
          return;
        case 'tool-input-delta':
          return calls.get(part.id)?.append(part.delta);
        case 'tool-call':
          return readCall(part);
        case 'tool-result':
          return builder.block(unknown(context, hostedResult(part)));
        case 'file': {
          const block = mediaOf(part);
          return block === undefined ? undefined : builder.block(block);
        }
        case 'custom':
        case 'reasoning-file':
          return builder.block(unknown(context, withOptions(part)));
        case 'source':
          sources.push(JSON.parse(JSON.stringify(part)) as JsonValue);
          return;
        case 'finish':
          return finish(part);
        case 'error':
          return builder.fail(errorOf(part.error));
        default:
          return;
      }
    },
    end() {
      if (builder.isOver) return;
      builder.fail(modelError('E_MODEL_TRUNCATED', 'The response of the model ended before it was complete', true));
    },
  };
}

function reasonOf(reason: PartOf<'finish'>['finishReason']['unified'], { hasCalls }: ResponseBuilder): ModelStopReason {
  if (reason === 'length') return 'length';
  if (reason === 'content-filter') return 'refusal';
  if (hasCalls || reason === 'tool-calls') return 'tool-use';
  return reason === 'stop' ? 'end' : 'other';
}

function usageOf({ inputTokens, outputTokens }: PartOf<'finish'>['usage']): ModelUsage {
  const { cacheRead, cacheWrite } = inputTokens;
  const { reasoning } = outputTokens;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(cacheRead === undefined ? {} : { cachedInputTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

function warningOf(warning: PartOf<'stream-start'>['warnings'][number]): ModelWarning {
  const said = 'message' in warning ? warning.message : 'details' in warning ? warning.details : undefined;
  const about = 'feature' in warning ? warning.feature : 'The model provider';
  return { code: 'option-ignored', message: [about, said].filter(Boolean).join(': ') };
}

// The parts as a later request sends them back.
function hostedCall({ toolCallId, toolName, input, providerMetadata }: PartOf<'tool-call'>): JsonObject {
  const call = { type: 'tool-call', toolCallId, toolName, input: parsed(input), providerExecuted: true };
  return withOptions({ ...call, providerMetadata });
}

function hostedResult({ toolCallId, toolName, result, providerMetadata }: PartOf<'tool-result'>): JsonObject {
  return withOptions({
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: 'json', value: result },
    providerMetadata,
  });
}

function withOptions(value: object): JsonObject {
  const { providerMetadata, ...part } = value as { readonly providerMetadata?: unknown };
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  return JSON.parse(JSON.stringify({ ...part, ...options })) as JsonObject;
}

function unknown({ source }: ResponseContext, raw: JsonObject): UnknownBlock {
  return { type: 'unknown', raw, source };
}

function mediaOf({ mediaType, data }: PartOf<'file'>): Parameters<ResponseBuilder['block']>[0] | undefined {
  const kind = mediaType.split('/')[0];
  const type = kind === 'image' || kind === 'audio' ? kind : 'document';
  if (data.type === 'url') return { type, mediaType, source: { kind: 'url', url: String(data.url) } };
  const bytes = typeof data.data === 'string' ? Buffer.from(data.data, 'base64') : data.data;
  return { type, mediaType, source: { kind: 'bytes', bytes: new Uint8Array(bytes) } };
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
