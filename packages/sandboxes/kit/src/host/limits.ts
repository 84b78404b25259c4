import type { EndingLimit, SandboxLimits } from '@ravi/kernel';

/** Says which limit a run met, its value, and how far it went when that is known. */
export function limitMessage(limit: EndingLimit, limits: SandboxLimits, reached?: number): string {
  const used = reached === undefined ? '' : `, it used ${Math.round(reached)}`;
  switch (limit) {
    case 'wall':
      return `The script ran longer than its time limit (wallTimeMs: ${limits.wallTimeMs})`;
    case 'cpu':
      return `The script used more processor time than its limit (cpuTimeMs: ${limits.cpuTimeMs}${used})`;
    case 'memory':
      return `The script used more memory than its limit (memoryBytes: ${limits.memoryBytes}${used})`;
    case 'source':
      return `The script is larger than its limit (maxSourceBytes: ${limits.maxSourceBytes}${used})`;
    case 'console':
      return `The script wrote more to its console than its limit (maxConsoleBytes: ${limits.maxConsoleBytes})`;
    case 'result':
      return `The value that the script returned is larger than its limit (maxResultBytes: ${limits.maxResultBytes}${
        reached === undefined ? '' : `, it takes at least ${reached}`
      })`;
    case 'calls':
      return `The script made more calls than its limit (maxCalls: ${limits.maxCalls})`;
    case 'in-flight':
      return `The script had more calls in flight than its limit (maxInFlight: ${limits.maxInFlight})`;
  }
}
