export { systemClock } from './base/clock.ts';
export type { Clock, Timer, TimerOptions } from './base/clock.ts';
export { KernelError, isKernelError } from './base/errors.ts';
export type { KernelErrorCode, KernelErrorOptions } from './base/errors.ts';
export type { JsonObject, JsonSchema, JsonValue } from './base/json.ts';
export { silentLogger } from './base/logger.ts';
export type { LogFields, Logger } from './base/logger.ts';
export type { Listing, Page, PageRequest } from './base/page.ts';
export type { Principal, RunContext } from './base/run-context.ts';
