import { pathToFileURL } from 'node:url';
import type { Figure } from './figure.ts';

// A process of its own for each figure: run.ts forks it with the file, and gets the rows as a message.
const { figure } = (await import(pathToFileURL(process.argv[2]!).href)) as { figure: Figure };
const { title, limitMs } = figure;
process.send?.({ limitMs });
const rows = await figure.run();
process.send?.({ title, rows }, () => process.disconnect());
