export { damageStatement } from './damage.ts';
export type { Statement } from './damage.ts';
