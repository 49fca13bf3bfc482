import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import { mongoMissing, startMongo } from '../servers/mongodb.ts';
import { run } from './contract.ts';

if (mongoMissing) {
  t.plan(0, mongoMissing);
} else {
  const server = await startMongo();
  t.teardown(() => server.stop());
  const prefix = `t${randomBytes(4).toString('hex')}`;
  run(
    'mongodb',
    (place, schemas) => openStore({ mongoUri: server.uri, database: `${prefix}-${place}` }, schemas),
    8,
  );
}
