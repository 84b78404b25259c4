import { compareRisk } from '@ravi/kernel';
import type { ToolRisk } from '@ravi/kernel';
import type { RunGrant } from './session-durability.ts';

/** Approvals for the whole run: per tool and definition, up to the approved risk, never `critical`. */
export class RunGrants {
  #risks: Map<string, ToolRisk> | undefined;

  constructor(known: readonly RunGrant[] = []) {
    for (const { tool, toolDigest, risk } of known) this.add(tool, toolDigest, risk);
  }

  add(tool: string, toolDigest: string, risk: ToolRisk): void {
    if (risk === 'critical') return;
    this.#risks ??= new Map();
    this.#risks.set(`${tool}:${toolDigest}`, risk);
  }

  covers(tool: string, toolDigest: string, risk: ToolRisk): boolean {
    const granted = this.#risks?.get(`${tool}:${toolDigest}`);
    return granted !== undefined && compareRisk(risk, granted) <= 0;
  }
}
