/**
 * The `test` function of a runner, as far as contract suites use it. Both vitest's `test` and the one of `node:test`
 * fit, so a suite runs under either.
 */
export interface ContractTest {
  /** Registers a test; `body` fails by throwing or rejecting. */
  (name: string, body: (context: ContractTestContext) => void | Promise<void>): unknown;
  /** Registers a test that does not run; its name says why. */
  skip(name: string, body?: () => void | Promise<void>): unknown;
}

/** The context that a runner passes to the body of a test, as far as contract suites use it. */
export interface ContractTestContext {
  /** Reports the running test as skipped. Return from the body after it: vitest throws here, Node does not. */
  skip(reason: string): unknown;
}
