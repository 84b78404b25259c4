import { jsonFile } from '../project/write-files.ts';
import type { NewFile } from '../project/write-files.ts';
import { adapterNames, contractTest } from './ports.ts';
import type { AdapterNames, TestRunner } from './ports.ts';
import type { Starter } from './starters.ts';

/** An adapter to write. */
export interface NewAdapter {
  /** Key of the port in a configuration. */
  readonly port: string;
  /** As the user gave it: `azure` for `blob-azure`. */
  readonly name: string;
  readonly names: AdapterNames;
  readonly starter: Starter;
}

/** Parts of an adapter package that depend on where it lives. */
export interface PackageLayout {
  /** Returns the folder of the package, relative to the one in which it is created. */
  folder(adapter: NewAdapter): string;
  starter(port: string): Starter | undefined;
  manifest(adapter: NewAdapter): object;
  readme(adapter: NewAdapter): string;
  /** Settings of the compiler and other tools. */
  readonly settings: readonly NewFile[];
  readonly runner: TestRunner;
}

/** Returns the adapter with this port and name; `undefined` if the layout has no such port. */
export function adapterOf(port: string, name: string, layout: PackageLayout): NewAdapter | undefined {
  const starter = layout.starter(port);
  return starter && { port, name, starter, names: adapterNames(starter, name) };
}

/** Returns the files of a package with one adapter and the contract test of its port. */
export function packageFiles(adapter: NewAdapter, layout: PackageLayout): readonly NewFile[] {
  const { starter, names } = adapter;
  return [
    ['package.json', jsonFile(layout.manifest(adapter))],
    ...layout.settings,
    ['src/index.ts', starter.source(names)],
    [`test/${names.plugin}.test.ts`, contractTest(starter, names.subject, layout.runner)],
    ['README.md', layout.readme(adapter)],
  ];
}
