export { createTestCertificates } from './test-certificates.ts';
export type { TestCertificates, TestFiles } from './test-certificates.ts';
export { startTestNode } from './test-node.ts';
export type { TestNode, TestNodeOptions } from './test-node.ts';
