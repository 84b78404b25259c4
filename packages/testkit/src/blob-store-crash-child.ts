export { crashOrders, createCrashPoint, runCrashScenario } from './blob-store/crash-child.ts';
export type { CrashOrders, CrashReport } from './blob-store/crash-child.ts';
