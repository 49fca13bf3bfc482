import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import { mongoMissing, startMongo } from '../servers/mongodb.ts';
import { run as runBlobs } from './blobs-contract.ts';
import { type Open, run, schema } from './contract.ts';
import { run as runRecords } from './records-contract.ts';

if (mongoMissing) {
  t.plan(0, mongoMissing);
} else {
  const server = await startMongo();
  t.teardown(() => server.stop());
  const prefix = `t${randomBytes(4).toString('hex')}`;
  const open: Open = (place, schemas) =>
    openStore({ mongoUri: server.uri, database: `${prefix}-${place}` }, schemas);
  run('mongodb', open);
  runRecords('mongodb', open);
  runBlobs('mongodb', open);

  t.test('a MongoDB without transactions is refused with a sentence that says how to get them', async (t) => {
    const alone = await startMongo({ standalone: true });
    t.teardown(() => alone.stop());
    await t.rejects(openStore({ mongoUri: alone.uri, database: 'x' }, [schema]), {
      code: 'STORE_UNAVAILABLE',
      message: /rs\.initiate/,
    });
  });

  t.test('a MongoDB that is not there is a STORE_UNAVAILABLE', async (t) => {
    const mongoUri = 'mongodb://127.0.0.1:1/?directConnection=true&serverSelectionTimeoutMS=200';
    await t.rejects(openStore({ mongoUri, database: 'x' }, [schema]), { code: 'STORE_UNAVAILABLE' });
  });
}
