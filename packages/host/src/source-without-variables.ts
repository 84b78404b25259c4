import { KernelError } from '@ravi/kernel';
import type { ToolSource } from '@ravi/kernel';

/**
 * Returns a tool source whose options name variables that are not set. The process starts without its tools and reports it as
 * failed; the variables of a process do not change, so only a restart helps.
 */
export function sourceWithoutVariables(name: string, missing: readonly string[]): ToolSource {
  return {
    name,
    async open() {
      throw new KernelError('E_SOURCE_UNAVAILABLE', `${missing.join('; ')}; then restart`);
    },
  };
}
