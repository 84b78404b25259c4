#!/usr/bin/env node
// The build puts the check of the Node version here. A static import would be loaded, and could fail, before the check.
const { createRavi } = await import('./index.ts');
process.exitCode = await createRavi(process.argv.slice(2));
