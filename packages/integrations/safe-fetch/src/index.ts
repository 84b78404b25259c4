export { addressKind } from './address-kind.ts';
export type { AddressKind } from './address-kind.ts';
export type { AddressLookup } from './checked-connector.ts';
export { createSafeFetch } from './safe-fetch.ts';
export type { SafeFetch, SafeFetchOptions } from './safe-fetch.ts';
