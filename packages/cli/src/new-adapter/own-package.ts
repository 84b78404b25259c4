import { pluginPorts } from '@ravi/host';
import type { PortName } from '@ravi/kernel';
import { compilerConfig, jsonFile } from '../project/write-files.ts';
import type { NewAdapter, PackageLayout } from './package-files.ts';
import { starters } from './starters.ts';

/** Returns the layout of an adapter in a package of its own, which depends on this version of Ravi's packages. */
export function ownPackage(version: string): PackageLayout {
  return {
    folder: ({ names }) => `ravi-${names.plugin}`,
    starter: (port) => starters[port],
    manifest: (adapter) => manifest(adapter, version),
    readme,
    settings: [
      ['tsconfig.json', jsonFile(compilerConfig(['src', 'test']))],
      ['tsconfig.build.json', jsonFile(buildConfig)],
      ['.gitignore', 'node_modules/\ndist/\n'],
    ],
    runner: 'node:test',
  };
}

function manifest({ names, starter: { type, begunAs } }: NewAdapter, version: string): object {
  return {
    name: `ravi-${names.plugin}`,
    version: '0.1.0',
    description: `A Ravi ${type}.`,
    type: 'module',
    // Node runs TypeScript, but not from `node_modules`.
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist'],
    scripts: { test: 'node --test "test/*.test.ts"', prepack: 'tsc -p tsconfig.build.json' },
    dependencies: { ...(begunAs === undefined ? {} : { [begunAs]: version }), '@ravi/kernel': version },
    devDependencies: { '@ravi/testkit': version, '@types/node': '^24.0.0', typescript: '^7.0.0' },
    engines: { node: '>=24' },
  };
}

const buildConfig = {
  extends: './tsconfig.json',
  compilerOptions: {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

function readme({ port, names: { plugin }, starter: { type } }: NewAdapter): string {
  return `# ravi-${plugin}

A Ravi ${type}: describe in one paragraph which service it uses and when to choose it.

\`\`\`sh
npm install
npm test
\`\`\`

The test is the contract suite of the port \`${port}\`. In a configuration next to this folder:
\`"${port}": ${useOf(port, `./ravi-${plugin}/src/index.ts`)}\`.

\`npm pack\` and \`npm publish\` compile it first, because Node does not run TypeScript from \`node_modules\`. After
\`npm install\`, a configuration uses it as \`"${port}": ${useOf(port, `ravi-${plugin}`)}\`.
`;
}

function useOf(port: string, specifier: string): string {
  const use = `{ "use": "${specifier}" }`;
  return pluginPorts[port as PortName] === 'list' ? `[${use}]` : use;
}
