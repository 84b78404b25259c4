import { createDockerSandbox } from '../src/index.ts';
import { guestOf } from '@ravi/testkit/sandbox';
import { testImages } from './test-engine.ts';

/** Program of a host that is killed during a run: `node leak.ts <folder>`. */
const [folder = ''] = process.argv.slice(2);
const sandbox = createDockerSandbox({ images: testImages, folder, languages: ['python'], poolSize: 1 });
await guestOf(sandbox, 'python').run('call("ready", "")\nwhile True: pass', {
  bridge: async () => {
    process.stdout.write('ready');
    return '';
  },
});
