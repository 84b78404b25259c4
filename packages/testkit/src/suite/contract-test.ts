/**
 * The `test` function of a runner, as far as contract suites use it. Both vitest's `test` and the one of `node:test`
 * fit, so a suite runs under either.
 */
export interface ContractTest {
  /** Registers a test; `body` fails by throwing or rejecting. */
  (name: string, body: () => void | Promise<void>): unknown;
  /** Registers a test that does not run; its name says why. */
  skip(name: string, body?: () => void | Promise<void>): unknown;
}
