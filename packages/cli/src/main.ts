#!/usr/bin/env node
import { runCommandLine } from './program.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));
// A handle that a plugin left open must not keep the process alive; what was printed must still arrive.
process.stdout.write('', () => process.exit());
