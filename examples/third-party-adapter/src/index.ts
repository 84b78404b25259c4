import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { definePlugin } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalDecisionInput, Plugin, PluginContext } from '@ravi/kernel';

/** Hours and tools that need no further decision. */
export interface BusinessHoursOptions {
  /** File with one tool name per line; it is read for each call, so an edit takes effect at once. */
  readonly allowList: string;
  /** First hour of the working day, UTC. */
  readonly from: number;
  /** The hour (UTC) at which the working day is over. */
  readonly to: number;
}

/** Approves the tools of a list from Monday to Friday during working hours, and denies everything else. */
export function createBusinessHours(
  { allowList, from, to }: BusinessHoursOptions,
  { baseDir, clock }: Pick<PluginContext, 'baseDir' | 'clock'>,
): ApprovalHandler {
  return {
    async request({ tool, risk }, { signal }): Promise<ApprovalDecisionInput> {
      // A list that cannot be read allows nothing.
      const names = await readFile(resolve(baseDir, allowList), 'utf8').catch(() => '');
      const now = new Date(clock.now());
      const isWorkday = now.getUTCDay() % 6 !== 0;
      if (signal.aborted) return { decision: 'denied', reason: 'The question was withdrawn' };
      if (risk === 'critical') return { decision: 'denied', reason: 'Critical calls need a person' };
      if (!names.split(/\r?\n/).includes(tool))
        return { decision: 'denied', reason: `${tool} is not on the allow-list` };
      if (isWorkday && now.getUTCHours() >= from && now.getUTCHours() < to) return { decision: 'approved' };
      return { decision: 'denied', reason: `Allowed from Monday to Friday, ${from} to ${to} o'clock UTC` };
    },
  };
}

// #region plugin
const hour = { type: 'integer', minimum: 0, maximum: 24 };
const plugin: Plugin<'approvalHandler', BusinessHoursOptions> = definePlugin({
  name: 'approval-business-hours',
  port: 'approvalHandler',
  configSchema: {
    type: 'object',
    properties: { allowList: { type: 'string' }, from: { ...hour, default: 9 }, to: { ...hour, default: 17 } },
    required: ['allowList'],
    additionalProperties: false,
  },
  create: createBusinessHours,
});
export default plugin;
// #endregion
