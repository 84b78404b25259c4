import type { Finding } from '../finding.ts';

const maxNameLength = 128;

/** What is said of a tool that there is not. */
export function unknownToolFinding(name: string, isCertain: boolean, offset: number): Finding {
  const message = `There is no tool named ${JSON.stringify(name.slice(0, maxNameLength))}`;
  return { isCertain, message, offset, unknownTool: name };
}
