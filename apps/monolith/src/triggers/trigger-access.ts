import { KernelError } from '@ravi/kernel';
import type { TriggerAccess } from '@ravi/kernel';

/** Access to triggers for plugins, which are opened before the services of the process exist. */
export interface PluginTriggers {
  readonly access: TriggerAccess;
  /** Sets the triggers that tools use from now on. */
  connect(access: TriggerAccess): void;
}

/** Creates access to triggers that are connected later. */
export function createPluginTriggers(): PluginTriggers {
  let connected: TriggerAccess | undefined;

  function current(): TriggerAccess {
    if (connected !== undefined) return connected;
    throw new KernelError('E_UNSUPPORTED', 'This process has no triggers yet: its tools are being opened');
  }

  return {
    access: {
      check: async (spec) => current().check(spec),
      add: async (...request) => current().add(...request),
      list: async (...request) => current().list(...request),
      cancel: async (...request) => current().cancel(...request),
    },
    connect(access) {
      connected = access;
    },
  };
}
