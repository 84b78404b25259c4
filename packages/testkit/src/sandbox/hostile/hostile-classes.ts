import { codeLoading } from './classes/code-loading.ts';
import { computation } from './classes/computation.ts';
import { constructors } from './classes/constructors.ts';
import { conversions } from './classes/conversions.ts';
import { crossings } from './classes/crossings.ts';
import { floods } from './classes/floods.ts';
import { forgery } from './classes/forgery.ts';
import { memory } from './classes/memory.ts';
import { pollution } from './classes/pollution.ts';
import { sharedMemory } from './classes/shared-memory.ts';
import { sizes } from './classes/sizes.ts';
import { stacks } from './classes/stacks.ts';
import { traps } from './classes/traps.ts';
import type { HostileClass } from './hostile-case.ts';

/** Classes of cases about the sandbox alone. `recursion`, the last class, is about the pipeline after it. */
export const sandboxClasses: readonly HostileClass[] = [
  constructors,
  crossings,
  pollution,
  traps,
  conversions,
  codeLoading,
  stacks,
  sharedMemory,
  forgery,
  computation,
  memory,
  floods,
  sizes,
];
