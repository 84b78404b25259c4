import type { SandboxSupport } from '@ravi/kernel';

/** What the vm sandbox declares. */
export const supports: SandboxSupport = {
  languages: ['javascript'],
  isolation: 'none',
  limits: [
    'wall',
    'cpu',
    ...(process.platform === 'linux' ? (['memory'] as const) : []),
    'stack',
    'source',
    'console',
    'result',
    'calls',
    'in-flight',
    'call-input',
    'call-output',
  ],
  detectsDeadlock: true,
};
