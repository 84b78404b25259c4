export { pluginContract } from './plugin/plugin-contract.ts';
