export { compilerConfig, jsonFile } from './compiler-config.ts';
export { createProject } from './create-project.ts';
export type { CreatedProject, CreateProjectOptions } from './create-project.ts';
export { runCreate } from './run-create.ts';
export type { CreateTerminal } from './run-create.ts';
export { shellWord } from './shell-word.ts';
