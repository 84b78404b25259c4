import type { FunctionSpec, ModelMessage, ToolSpec } from '@ravi/kernel';
import { estimateTokens } from '@ravi/support';
import type { ToolBudget } from '../agent/agent-options.ts';

/** A tool and its declarations. */
export interface CountedTool {
  readonly name: string;
  readonly specs: readonly ToolSpec[];
  /** True if the tool itself says that it is found before it is declared. */
  readonly isDeferred: boolean;
}

/** Tools of a request. All others are deferred. */
export interface ChosenTools {
  readonly declared: ReadonlySet<string>;
  /** Tools that are declared by name only, because their schemas are too long. */
  readonly shortened: ReadonlySet<string>;
}

const shortDescriptionCharacters = 200;

/** Returns the tools that are declared within a budget; `undefined` if all fit. `described` has the newest discovery last. */
export function chooseTools(
  tools: readonly CountedTool[],
  described: Iterable<string>,
  { maxTokens, keeps = () => false }: ToolBudget,
): ChosenTools | undefined {
  const found = new Set(described);
  if (fitsAll(tools, found, maxTokens)) return undefined;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const declared = new Set<string>();
  const shortened = new Set<string>();
  let left = maxTokens;
  for (const tool of tools) {
    if (!keeps(tool.name)) continue;
    declared.add(tool.name);
    left -= tokensOf(tool);
  }
  let filling = Math.floor(left / 2);
  for (const tool of tools) {
    if (declared.has(tool.name) || tool.isDeferred) continue;
    const tokens = tokensOf(tool);
    if (tokens > filling) break;
    declared.add(tool.name);
    filling -= tokens;
    left -= tokens;
  }
  // Newest first: the tool that the model has just read about is always declared, if only by its name.
  for (const [age, name] of [...found].toReversed().entries()) {
    const tool = byName.get(name);
    if (tool === undefined || declared.has(name)) continue;
    const isWhole = tokensOf(tool) <= left;
    const tokens = isWhole ? tokensOf(tool) : tokensOfSpecs(tool.specs.map(shortenedSpec));
    if (tokens > left && age > 0) break;
    declared.add(name);
    if (!isWhole) shortened.add(name);
    left -= tokens;
  }
  return { declared, shortened };
}

/** Returns the declaration of a tool without its schema, which the model has read as the result of a call. */
export function shortenedSpec(spec: ToolSpec): ToolSpec {
  if (spec.type !== 'function') return spec;
  const { outputSchema: _, ...rest } = spec;
  const description = spec.description.slice(0, shortDescriptionCharacters);
  return { ...rest, description, parameters: anyArguments, strict: false };
}

const anyArguments: FunctionSpec['parameters'] = Object.freeze({ type: 'object' });

// Ends at the first tool that does not fit, because there may be thousands.
function fitsAll(tools: readonly CountedTool[], found: ReadonlySet<string>, maxTokens: number): boolean {
  let left = maxTokens;
  for (const tool of tools) {
    if (tool.isDeferred && !found.has(tool.name)) continue;
    left -= tokensOf(tool);
    if (left < 0) return false;
  }
  return true;
}

function tokensOf({ specs }: CountedTool): number {
  return tokensOfSpecs(specs);
}

const counted = new WeakMap<ToolSpec, number>();

function tokensOfSpecs(specs: readonly ToolSpec[]): number {
  let tokens = 0;
  for (const spec of specs) {
    const known = counted.get(spec) ?? estimateTokens(JSON.stringify(declaredPart(spec)));
    counted.set(spec, known);
    tokens += known;
  }
  return tokens;
}

// Providers add about as much around it as the key `type` of ours.
function declaredPart(spec: ToolSpec): unknown {
  if (spec.type !== 'function') return spec.spec;
  const { name, description, parameters } = spec;
  return { type: 'function', name, description, parameters };
}

/** Keys of the argument that names the tool, by the tool that describes it. */
const describers: ReadonlyMap<string, string> = new Map([
  ['info', 'tool'],
  ['describe_tool', 'name'],
]);

/** Returns the tools that the model has called or read about in a conversation, the newest last. */
export function discoveredTools(messages: readonly ModelMessage[]): readonly string[] {
  const found = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue;
    for (const block of content) {
      if (block.type !== 'tool_use') continue;
      const key = describers.get(block.name);
      const named = key === undefined ? block.name : block.arguments[key];
      if (typeof named !== 'string') continue;
      found.delete(named);
      found.add(named);
    }
  }
  return [...found];
}
