#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/src/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('svc is not built yet. Run `npm ci` (or `npm run build`) in its folder first.');
  process.exitCode = 2;
}
