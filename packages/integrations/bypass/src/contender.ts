import type { GatedTool } from './gated-tool.ts';

/** Ways in which an agent can come to a tool, in the order of the page. */
export const modes = ['direct', 'parallel', 'code mode', 'sub-agent', 'after resume', 'background'] as const;

/** Way in which an agent comes to the gated tool. */
export type Mode = (typeof modes)[number];

/** Evidence of a probe that the gated tool was stopped. */
export interface Evidence {
  /** Names of tools for whose calls the framework asked the program or a person. */
  readonly asked?: readonly string[];
  /** Text that the model read in place of a result. */
  readonly told?: string;
}

/**
 * Has an agent with a scripted model call the gated tool in one mode, and returns what happened instead of the effect. Where the
 * scenario has a person, the probe reports each approval with `gated.approve`.
 */
export type Probe = (gated: GatedTool, signal: AbortSignal) => Promise<Evidence>;

/** Reason why there is nothing to measure. */
export interface NotOffered {
  readonly notOffered: string;
}

/** A framework. */
export interface Contender {
  readonly name: string;
  /** Packages whose versions the page lists. */
  readonly packages: readonly string[];
  /** The tool as the framework documents a tool that needs approval. */
  readonly without: Readonly<Record<Mode, Probe | NotOffered>>;
  /** The same tool, offered by Ravi. */
  readonly with: Readonly<Record<Mode, Probe | NotOffered>>;
  /** Facts of single cells, by mode, for the page. */
  readonly notes?: Partial<Readonly<Record<Mode, string>>>;
  /** Other settings of the framework that are worth knowing, without Ravi. */
  readonly variants?: readonly { readonly mode: Mode; readonly setting: string; readonly probe: Probe }[];
  /** Has a person approve one direct call, with Ravi and without. Then the tool must run: otherwise the probes prove nothing. */
  readonly controls: readonly [without: Probe, withRavi: Probe];
}
