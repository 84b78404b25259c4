import type { MediaBlock, ModelRequest, ModelWarning } from '@ravi/kernel';
import { callIdsOf, commonNameRules, createToolPreparer } from '@ravi/provider-kit';
import type { PreparedTools, ResponseContext } from '@ravi/provider-kit';
import { encodePrompt } from './encode-prompt.ts';
import type { CallOptions, SdkModel } from './encode-prompt.ts';

/** Encoded request and what the decoder of its response needs. */
export interface EncodedRequest {
  readonly options: Omit<CallOptions, 'abortSignal'>;
  readonly warnings: readonly ModelWarning[];
  readonly context: ResponseContext;
}

type ToolChoiceOption = NonNullable<CallOptions['toolChoice']>;

const prepareTools = createToolPreparer({ names: commonNameRules, mode: 'never' });

/** Encodes a request for a model of the AI SDK. */
export async function encodeRequest(request: ModelRequest, model: SdkModel, specs: string): Promise<EncodedRequest> {
  const { system, messages, maxOutputTokens, sampling, reasoning, output, providerOptions } = request;
  const source = `${specs}/${model.provider}/${model.modelId}`;
  const prepared = prepareTools(request.tools, specs);
  const warnings: ModelWarning[] = [...prepared.warnings, ...ignored(request)];
  const urls = await model.supportedUrls;
  const fetches = (block: MediaBlock): boolean => isFetched(block, urls);
  const prompt = encodePrompt(messages, { system, source, names: prepared.names, warnings, fetches });
  const tools = toolsOf(prepared);
  const options: Omit<CallOptions, 'abortSignal'> = {
    prompt,
    ...(tools.length === 0 ? {} : { tools, toolChoice: choiceOf(request, prepared) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(sampling === undefined ? {} : samplingOf(sampling)),
    ...(reasoning?.effort === undefined ? {} : { reasoning: reasoning.effort }),
    ...(output === undefined ? {} : { responseFormat: formatOf(output) }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
  const context: ResponseContext = {
    usedIds: callIdsOf(messages),
    source,
    nameOf: (name) => prepared.names.fromWire(name),
  };
  return { options, warnings, context };
}

function ignored({ parallelToolCalls, metadata, reasoning }: ModelRequest): ModelWarning[] {
  const options = [
    ...(parallelToolCalls === false ? ['parallelToolCalls'] : []),
    ...(metadata === undefined ? [] : ['metadata']),
    ...(reasoning?.budgetTokens === undefined ? [] : ['reasoning.budgetTokens']),
    ...(reasoning?.summary === undefined ? [] : ['reasoning.summary']),
  ];
  return options.map((option) => ({
    code: 'option-ignored',
    message: `The AI SDK has no common option for ${option}; use providerOptions`,
  }));
}

function samplingOf({ stopSequences, ...numbers }: NonNullable<ModelRequest['sampling']>): Partial<CallOptions> {
  return { ...numbers, ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }) };
}

function formatOf({
  schema,
  name = 'answer',
  description,
}: NonNullable<ModelRequest['output']>): NonNullable<CallOptions['responseFormat']> {
  return { type: 'json', schema, name, ...(description === undefined ? {} : { description }) };
}

function toolsOf({ functions, native }: PreparedTools): NonNullable<CallOptions['tools']> {
  const own = functions.map(({ spec, wireName, parameters }) => ({
    type: 'function' as const,
    name: wireName,
    description: spec.description,
    inputSchema: parameters as never,
    ...(spec.strict === undefined ? {} : { strict: spec.strict }),
  }));
  const provided = native.map(({ name, spec }) => ({ args: {}, ...spec, type: 'provider' as const, name }) as never);
  return [...own, ...provided];
}

function choiceOf({ toolChoice = 'auto' }: ModelRequest, { names }: PreparedTools): ToolChoiceOption {
  if (typeof toolChoice === 'string') return { type: toolChoice };
  const [name, ...others] = toolChoice.oneOf;
  return name === undefined || others.length > 0
    ? { type: 'required' }
    : { type: 'tool', toolName: names.toWire(name) };
}

function isFetched({ mediaType, source }: MediaBlock, urls: Readonly<Record<string, readonly RegExp[]>>): boolean {
  if (source.kind !== 'url') return false;
  return Object.entries(urls).some(([pattern, addresses]) => {
    const isType =
      pattern === '*' ||
      pattern === '*/*' ||
      pattern === mediaType ||
      mediaType.startsWith(pattern.replace(/\*$/, '') || '-');
    return isType && addresses.some((address) => address.test(source.url));
  });
}
