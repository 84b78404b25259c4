#!/usr/bin/env node
import { createRavi } from './index.ts';

process.exitCode = await createRavi(process.argv.slice(2));
