#!/usr/bin/env node
// The build puts the check of the Node version here. A static import would be loaded, and could fail, before the check.
const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2));
