import { adapterNames, contractTest } from '../../packages/cli/src/new-adapter/ports.ts';
import type { PortTemplate } from '../../packages/cli/src/new-adapter/ports.ts';

/** A file to write: its path inside the package and its text. */
export type AdapterFile = readonly [path: string, text: string];

/** Everything a new adapter package holds. It compiles at once; its contract test fails until the adapter works. */
export function adapterFiles(port: string, template: PortTemplate, name: string): AdapterFile[] {
  const { subject, plugin } = adapterNames(template, name);
  return [
    ['package.json', json(manifest(plugin, template.type))],
    ['turbo.json', compactJson({ extends: ['//'], tags: ['adapter'] })],
    ['tsconfig.json', compactJson({ extends: '../../../tsconfig.node.json', include: ['src', 'test'] })],
    ['tsconfig.build.json', compactJson(buildConfig)],
    ['src/index.ts', source(port, template, plugin, subject)],
    [`test/${plugin}.test.ts`, contractTest(template, subject, 'vitest')],
    ['README.md', readme(port, template, plugin, subject)],
  ];
}

const buildConfig = {
  extends: ['./tsconfig.json', '../../../tsconfig.build.json'],
  compilerOptions: { rootDir: 'src', outDir: 'dist' },
  include: ['src'],
};

function manifest(plugin: string, type: string): object {
  return {
    name: `@ravi/${plugin}`,
    version: '0.1.0',
    description: `A Ravi ${type}.`,
    license: 'MIT',
    files: ['dist', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    type: 'module',
    sideEffects: false,
    exports: { '.': './src/index.ts' },
    publishConfig: { exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }, access: 'public' },
    scripts: { build: 'node ../../../scripts/build-package.ts', check: 'tsc -p tsconfig.json' },
    dependencies: { '@ravi/kernel': 'workspace:*' },
    devDependencies: { '@ravi/testkit': 'workspace:*' },
    engines: { node: '>=22.18' },
  };
}

function source(port: string, { type }: PortTemplate, plugin: string, subject: string): string {
  return `import { KernelError, definePlugin } from '@ravi/kernel';
import type { ${[type, 'Plugin'].toSorted().join(', ')} } from '@ravi/kernel';

/** Options of {@link create${subject}}; each one is in the plugin's \`configSchema\` too, with its default. */
export interface ${subject}Options {}

/**
 * Opens the adapter.
 * @throws KernelError \`E_UNSUPPORTED\` until it does something
 */
export function create${subject}(_options: ${subject}Options): ${type} {
  throw new KernelError('E_UNSUPPORTED', '${plugin} implements nothing of ${type} yet');
}

const plugin: Plugin<'${port}', ${subject}Options> = definePlugin({
  name: '${plugin}',
  port: '${port}',
  configSchema: { type: 'object', properties: {}, additionalProperties: false },
  create: create${subject},
});
export default plugin;
`;
}

function readme(port: string, { type }: PortTemplate, plugin: string, subject: string): string {
  return `# @ravi/${plugin}

A Ravi ${type}: say in one paragraph what it talks to and when to take it.

## Install

\`\`\`sh
npm install @ravi/${plugin}
\`\`\`

## Use

In the configuration, \`"${port}": { "use": "@ravi/${plugin}" }\`, or in code:

\`\`\`ts
import { create${subject} } from '@ravi/${plugin}';

const adapter = create${subject}({});
\`\`\`

## Guarantees and limits

It keeps what the contract suite of the port \`${port}\` asks for.

## Related

- [Write an adapter](../../../docs/write-an-adapter.md)

## License

MIT
`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** With lists of strings on one line, as the formatter wants them everywhere but in a `package.json`. */
function compactJson(value: object): string {
  return json(value).replace(/\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g, (_list, items: string) => {
    return `[${items.replaceAll(/\s+/g, ' ')}]`;
  });
}
