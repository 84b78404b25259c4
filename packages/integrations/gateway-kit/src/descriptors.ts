import { sha256OfJson } from '@ravi/invoker';
import { isLocalTool } from '@ravi/kernel';
import type { AnyTool, Tool } from '@ravi/kernel';
import type { Gateway, GatewayOptions, GatewayTool } from './gateway-types.ts';

const nameLength = 64;
const suffixLength = 8;

/** Returns the descriptors of the tools that this process runs and a model may call directly. */
export function describeTools(
  tools: readonly AnyTool[],
  { offer = 'both', chainName }: { readonly offer: GatewayOptions['offer'] | undefined; readonly chainName: string },
  gateway: Pick<Gateway, 'call' | 'check' | 'decide'>,
): readonly GatewayTool[] {
  const taken = new Set(tools.map(({ name }) => name));
  return Object.freeze(
    tools.filter(isLocalTool).flatMap((tool) => {
      if (tool.allowedCallers?.includes('direct') === false) return [];
      if (offer !== 'both' && (offer === 'chain') !== (tool.name === chainName)) return [];
      return [describe(tool, wireName(tool.name, taken), gateway)];
    }),
  );
}

function describe(tool: Tool, name: string, gateway: Pick<Gateway, 'call' | 'check' | 'decide'>): GatewayTool {
  const { outputSchema } = tool;
  return Object.freeze({
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(tool.risk === undefined ? {} : { risk: tool.risk }),
    isRiskFixed: tool.classifyRisk === undefined,
    check: (args, call, options) => gateway.check({ ...call, name: tool.name, args }, options),
    call: (args, call) => gateway.call({ ...call, name: tool.name, args }),
    decide: (args, call, decision) => gateway.decide({ ...call, name: tool.name, args }, decision),
  } satisfies GatewayTool);
}

// Frameworks and providers do not accept dots. A name without dots stays as it is.
function wireName(name: string, taken: Set<string>): string {
  if (!name.includes('.')) return name;
  const plain = name.replaceAll('.', '_');
  const suffix = `_${sha256OfJson(name).slice(0, suffixLength)}`;
  const chosen = taken.has(plain) ? `${plain.slice(0, nameLength - suffix.length)}${suffix}` : plain;
  taken.add(chosen);
  return chosen;
}
