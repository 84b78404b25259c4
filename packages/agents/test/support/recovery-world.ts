import type { ModelProvider, Run } from '@ravi/kernel';
import { createFakeClock, createTestJournal, journalItems } from '@ravi/testkit';
import type { TestJournal } from '@ravi/testkit';
import { askUserTool, ReActAgent } from '../../src/index.ts';
import type { AgentOptions, RecoverOptions } from '../../src/index.ts';
import { createTestHistory, createTestRuns, keepTestProcess } from './memory-state.ts';
import type { TestHistory, TestRuns } from './memory-state.ts';
import { createOffice } from './office-tools.ts';
import type { Office } from './office-tools.ts';

export const start: number = Date.UTC(2026, 0, 1);
export const deadAfterMs = 10_000;
/** Ids of the run of a world. */
export const where = { runId: 'run_1', sessionId: 's', principal: 'ada' } as const;

/** Stores and tools that outlive the processes of a test, with one agent per process. */
export interface RecoveryWorld {
  readonly history: TestHistory;
  readonly runs: TestRuns;
  readonly journal: TestJournal;
  readonly office: Office;
  /** Creates the agent of a new process, which starts when every earlier process counts as dead. */
  process(model: ModelProvider, more?: Partial<AgentOptions>): ReActAgent;
  row(): Run;
  readonly recovery: RecoverOptions;
}

export function createWorld(): RecoveryWorld {
  const history = createTestHistory();
  let processes = 0;
  let now = start;
  const runs = createTestRuns({ now: () => now });
  const journal = createTestJournal();
  const office = createOffice();
  return {
    history,
    runs,
    journal,
    office,
    process(model, more = {}) {
      const clock = more.clock ?? createFakeClock(start + processes * (deadAfterMs + 1));
      now = Math.max(now, clock.now());
      const process = keepTestProcess(runs, `process_${++processes}`, { deadAfterMs, clock });
      const tools = [...office.tools, askUserTool];
      const policy = { maxRiskUnapproved: 'high' } as const;
      return new ReActAgent({ name: 'clerk', model, tools, policy, history, runs, journal, clock, process, ...more });
    },
    row: () => runs.all.get(where.runId) as Run,
    recovery: { journal: { entries: async () => journalItems(journal) } },
  };
}
