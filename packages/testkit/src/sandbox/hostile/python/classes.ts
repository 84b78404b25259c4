import type { HostileClass } from '../hostile-case.ts';
import { computation } from './computation.ts';
import { floods } from './floods.ts';
import { forgery } from './forgery.ts';
import { lives } from './lives.ts';
import { looks } from './looks.ts';
import { memory } from './memory.ts';
import { patches } from './patches.ts';
import { privileges } from './privileges.ts';
import { values } from './values.ts';
import { walks } from './walks.ts';

/** The classes of Python. */
export const pythonClasses: readonly HostileClass[] = [
  walks,
  looks,
  privileges,
  values,
  forgery,
  patches,
  lives,
  computation,
  memory,
  floods,
];
