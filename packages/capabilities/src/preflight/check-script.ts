import { wrongArguments } from './checks/arguments.ts';
import { doubts } from './checks/doubts.ts';
import { wrongReads } from './checks/results.ts';
import { toolUses } from './checks/tool-uses.ts';
import { bareTools, unknownTools } from './checks/unknown-tools.ts';
import { inOrder } from './finding.ts';
import type { CheckQuestion, Finding } from './finding.ts';
import type { TypeChecker } from './type-checker.ts';

/** Returns the findings about a script before it runs, in the order of its text; each doubt only once. */
export function checkScript({ source, tools }: CheckQuestion, checker: TypeChecker): readonly Finding[] {
  const script = checker.check(source, tools);
  if (script === undefined) return [];
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const uses = toolUses(script);
  const findings = [
    ...unknownTools(script, uses, known),
    ...bareTools(script, uses, known),
    ...wrongArguments(script, uses, known),
    ...wrongReads(script),
  ];
  return inOrder([...findings, ...doubts(script, uses, findings)]);
}
