import type { FunctionSpec, ToolSpec } from '@ravi/kernel';
import { countTokens } from './count-tokens.ts';
import type { Payload } from './collect-payloads.ts';

/** Facts that a run is compared with. */
export interface ComparisonInput {
  readonly payloads: readonly Payload[];
  /** Declarations of every tool, including the chain tool. */
  readonly specs: readonly ToolSpec[];
  readonly script: string;
  /** Result of the chain tool. */
  readonly output: string;
}

/** Tokens of the same work done in two ways. The question and the closing words of the model are in neither. */
export interface Comparison {
  /** Arguments and whole results of all calls, each counted once. */
  readonly plainContext: number;
  /** Input of all turns of a conversation with one call a turn: every turn sends again what was said before. */
  readonly plainInput: number;
  readonly plainTurns: number;
  /** Script and output, each counted once. */
  readonly chainContext: number;
  /** Input of the two turns: the description of the chain tool twice, script and output once. */
  readonly chainInput: number;
}

/** Counts both conversations from what this run really exchanged. */
export async function compare({ payloads, specs, script, output }: ComparisonInput): Promise<Comparison> {
  const [chainSpecs, plainSpecs] = split(specs);
  const plainDefinitions = await countTokens(JSON.stringify(plainSpecs));
  let said = 0;
  let plainInput = plainDefinitions;
  for (const { tool, args, text } of payloads) {
    said += await countTokens(`${tool}(${JSON.stringify(args)})`);
    said += await countTokens(text);
    plainInput += plainDefinitions + said;
  }
  const chainContext = (await countTokens(script)) + (await countTokens(output));
  const chainDefinitions = await countTokens(JSON.stringify(chainSpecs));
  return {
    plainContext: said,
    plainInput,
    plainTurns: payloads.length + 1,
    chainContext,
    chainInput: 2 * chainDefinitions + chainContext,
  };
}

function split(specs: readonly ToolSpec[]): readonly [ToolSpec[], ToolSpec[]] {
  const isChain = (spec: ToolSpec): spec is FunctionSpec => spec.type === 'function' && spec.name === 'tool_chain';
  return [specs.filter(isChain), specs.filter((spec) => !isChain(spec))];
}
