import { createDockerSandbox } from '../src/index.ts';
import { runPython } from './python-harness.ts';
import { testImages } from './test-engine.ts';

/** A host that is killed in the middle of a run: `node leak.ts <folder>`. */
const [folder = ''] = process.argv.slice(2);
const sandbox = createDockerSandbox({ images: testImages, folder, languages: ['python'], poolSize: 1 });
await runPython(sandbox, 'call("ready", "")\nwhile True: pass', {
  bridge: async () => {
    process.stdout.write('ready');
    return '';
  },
});
