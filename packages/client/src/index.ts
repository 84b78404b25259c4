export { RaviApiError } from './api-error.ts';
export { createClient } from './client.ts';
export type { Client, ClientOptions } from './client.ts';
export type { CallOptions, Method, StreamOptions, UploadContent } from './method.ts';
export type { Reconnect } from './follow-events.ts';
export type { Fetch } from './transport.ts';
