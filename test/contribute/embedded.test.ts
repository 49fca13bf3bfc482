import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import { run } from './contract.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'contribute-'));
t.teardown(() => rmSync(folder, { recursive: true }));

run('embedded', (place, schemas) => openStore({ dataDir: path.join(folder, place) }, schemas), 1000);
