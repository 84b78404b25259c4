export { createGateway } from './gateway.ts';
export type {
  CheckOptions,
  DescriptorCall,
  FrameworkRun,
  Gateway,
  GatewayArtifact,
  GatewayCall,
  GatewayCheck,
  GatewayDecision,
  GatewayOptions,
  GatewayOutcome,
  GatewayTool,
} from './gateway-types.ts';
export { modelContent } from './model-content.ts';
export type { ModelContent, ModelContentOptions, ModelMedium } from './model-content.ts';
export { outcomeText, requestText } from './results.ts';
