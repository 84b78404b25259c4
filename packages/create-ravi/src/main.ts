#!/usr/bin/env node
import { runCreate } from './run-create.ts';

process.exitCode = await runCreate(process.argv.slice(2), {
  cwd: process.cwd(),
  print: (line) => console.log(line),
  warn: (line) => console.error(line),
});
