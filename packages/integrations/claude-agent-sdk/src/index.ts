export { withRavi } from './with-ravi.ts';
export type { RaviSettings } from './with-ravi.ts';
