export { createTelemetry } from './telemetry.ts';
export type { HookSource, Telemetry, TelemetryOptions } from './telemetry.ts';
