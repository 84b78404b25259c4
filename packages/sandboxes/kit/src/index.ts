export type { OpenRealm, Realm, RealmCodeEntry, RealmFault, RealmTextEntry } from './child/realm.ts';
export { childSource } from './child/source.ts';
export { createProcessSandbox } from './create-process-sandbox.ts';
export { nodeLauncher } from './host/link.ts';
export type { GuestEnd, GuestLink, GuestLinkEvents, LaunchGuest } from './host/link.ts';
export { defaultPoolOptions, poolProperties } from './host/pool-options.ts';
export type { PoolOptions } from './host/pool-options.ts';
export { canReadProcessUsage } from './host/process-usage.ts';
