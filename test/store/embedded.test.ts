import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import { type Open, run } from './contract.ts';
import { run as runRecords } from './records-contract.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'store-'));
t.teardown(() => rmSync(folder, { recursive: true }));

const open: Open = (place, schemas) => openStore({ dataDir: path.join(folder, place) }, schemas);
run('embedded', open);
runRecords('embedded', open);
