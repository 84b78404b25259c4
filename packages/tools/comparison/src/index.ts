export { contenders } from './contender.ts';
export type { Contender } from './contender.ts';
export { caseClasses } from './hostile-case.ts';
export type { CaseClass, HostileCase } from './hostile-case.ts';
export { cases, measureAll } from './measure.ts';
export type { MeasuredCase, Measurement, Outcome } from './measure.ts';
export type { Operation, OperationKind } from './operation.ts';
export { pageOf } from './page.ts';
export type { World } from './world/world.ts';
