export { createProject } from './project/create-project.ts';
export type { CreatedProject, CreateProjectOptions } from './project/create-project.ts';
export { runCreate } from './project/run-create.ts';
export type { CreateTerminal } from './project/run-create.ts';
export type { WrittenFiles } from './project/write-files.ts';
