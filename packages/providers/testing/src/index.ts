export { ask, image, model, result, text, tool, use, user } from './building.ts';
export { decodeBody, decodeStream, inBytes } from './decode.ts';
export type { DecoderFactory } from './decode.ts';
export { damaged } from './damaged.ts';
export { differences } from './differences.ts';
export type { Comparison } from './differences.ts';
export { metaSchemaOracle, specOracle, typesOracle } from './oracles.ts';
export type { NamedOracle, Oracle } from './oracles.ts';
export { requestsOf, sharedTools } from './shared-tools.ts';
