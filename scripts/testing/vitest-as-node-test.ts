import { registerHooks } from 'node:module';

const shim = `
import { test as nodeTest } from 'node:test';
export { describe, beforeEach, afterEach, before as beforeAll, after as afterAll } from 'node:test';
export const test = Object.assign((...args) => nodeTest(...args), nodeTest, {
  skipIf: (condition) => (condition ? nodeTest.skip : nodeTest),
  runIf: (condition) => (condition ? nodeTest : nodeTest.skip),
});
`;

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== 'vitest') return nextResolve(specifier, context);
    return { url: `data:text/javascript,${encodeURIComponent(shim)}`, shortCircuit: true };
  },
});
