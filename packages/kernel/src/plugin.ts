export { definePlugin } from './plugin/plugin.ts';
export type { Plugin, PluginContext, PortName, Ports } from './plugin/plugin.ts';
