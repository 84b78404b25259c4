import type { ServerScript } from '../scripted-server.ts';
import { answerCases } from './answer-cases.ts';
import type { HostileCase } from './hostile-case.ts';
import { httpCases } from './http-cases.ts';
import { lifeCases } from './life-cases.ts';
import { toolCases } from './tool-cases.ts';

/** All hostile servers. */
export const hostileCases: readonly HostileCase[] = [...answerCases, ...lifeCases, ...toolCases, ...httpCases];

/** The same, for a child process that runs one of them. */
export const scripts: Readonly<Record<string, ServerScript>> = Object.fromEntries(
  hostileCases.map((each) => [each.title, each]),
);
