import type { SandboxLanguage, SandboxSupport } from '@ravi/kernel';

/** What a docker sandbox of one language declares. */
export function supportOf(language: SandboxLanguage): SandboxSupport {
  return {
    languages: [language],
    isolation: 'container',
    limits: [
      'wall',
      'cpu',
      'memory',
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
    ...(language === 'python' ? { files: ['python'] } : {}),
  };
}
