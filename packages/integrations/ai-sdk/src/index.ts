export { raviTools } from './ravi-tools.ts';
export { recordDenials } from './record-denials.ts';
export type { ApprovalFunction, ApprovalStatus, RaviTools, RaviToolsOptions } from './ravi-tools.ts';
export type { MediaOutput } from './tool-output.ts';
export { createAiSdkProvider } from './provider/ai-sdk-provider.ts';
export type { AiSdkProviderOptions } from './provider/ai-sdk-provider.ts';
