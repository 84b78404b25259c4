import { writeFileSync } from 'node:fs';
import { answerBounded, WorkError } from '@ravi/tools-kit/bounded';

/** Question of the tests of `runBounded`. */
export type SampleQuestion = 'add' | 'buffers' | 'heap' | 'loop' | 'refuse' | 'exit' | 'write';

answerBounded((question: SampleQuestion): string => {
  switch (question) {
    case 'buffers': {
      const kept: Uint8Array[] = [];
      for (;;) kept.push(new Uint8Array(1_000_000).fill(1));
    }
    case 'heap': {
      const kept: object[] = [];
      for (;;) kept.push({ size: kept.length });
    }
    case 'loop':
      for (;;);
    case 'refuse':
      throw new WorkError('E_SAMPLE', 'No sample');
    case 'exit':
      return process.exit(3);
    case 'write':
      writeFileSync('/tmp/ravi-bounded-sample', 'x');
      return 'written';
    case 'add':
      return `${1 + 1} ${Object.keys(process.env).length}`;
  }
});
