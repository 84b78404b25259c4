import type { PortName } from '@ravi/kernel';

/** Ports that take a list of plugins. */
export type ListPort = 'toolSource' | 'modelProvider';

/** Ports that take one plugin. */
export type SinglePort = Exclude<PortName, ListPort>;

/** Number of plugins of each port. Plugins are opened in this order and disposed in reverse, so that state outlives its users. */
export const pluginPorts: {
  readonly [Port in PortName]: Port extends ListPort ? 'list' : 'one';
} = {
  stateStore: 'one',
  blobStore: 'one',
  approvalHandler: 'one',
  sandbox: 'one',
  toolSource: 'list',
  modelProvider: 'list',
};
