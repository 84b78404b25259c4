import { registerHooks } from 'node:module';

const shim = `
export { test, it, describe, beforeEach, afterEach, before as beforeAll, after as afterAll } from 'node:test';
`;

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== 'vitest') return nextResolve(specifier, context);
    return { url: `data:text/javascript,${encodeURIComponent(shim)}`, shortCircuit: true };
  },
});
