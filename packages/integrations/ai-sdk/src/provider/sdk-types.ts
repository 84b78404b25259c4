import type { LanguageModel } from 'ai';

/** Language model of the AI SDK in the version of its specification that this package uses. */
export type SdkModel = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
/** Request of the SDK. */
export type CallOptions = Parameters<SdkModel['doStream']>[0];
/** Message of a request. */
export type SdkMessage = CallOptions['prompt'][number];
/** Part of a streamed response. */
export type StreamPart =
  Awaited<ReturnType<SdkModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
