import type { AnyTool } from './tool.ts';

/** Source of tools, such as a folder or an MCP server. A tool of one source never shadows a tool of another. */
export interface ToolSource {
  /** Included in every report about its tools. */
  readonly name: string;
  /** Loads the current tools. A tool that cannot be loaded is reported and does not hide the others. */
  load(options: { readonly signal: AbortSignal }): Promise<ToolSourceContent>;
}

/** Tools of a {@link ToolSource}, and those that could not be loaded. */
export interface ToolSourceContent {
  readonly tools: readonly AnyTool[];
  readonly failures: readonly { readonly from: string; readonly message: string }[];
}
