export { addressKind } from './address-kind.ts';
export type { AddressKind } from './address-kind.ts';
export { lookUpChecked } from './checked-lookup.ts';
export type { AddressLookup, CheckedLookupOptions } from './checked-lookup.ts';
export { createSafeFetch } from './safe-fetch.ts';
export type { SafeFetch, SafeFetchOptions } from './safe-fetch.ts';
