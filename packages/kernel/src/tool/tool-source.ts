import type { AnyTool } from './tool.ts';

/** Tools from elsewhere: a folder, an MCP server. A tool of one source never shadows a tool of another. */
export interface ToolSource {
  /** Stands in every report about its tools. */
  readonly name: string;
  /** The tools that are there now, and what could not be loaded; one bad tool never hides the others. */
  load(options: { readonly signal: AbortSignal }): Promise<ToolSourceContent>;
}

/** What a {@link ToolSource} found. */
export interface ToolSourceContent {
  readonly tools: readonly AnyTool[];
  readonly failures: readonly { readonly from: string; readonly message: string }[];
}
