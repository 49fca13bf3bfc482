import type { Schema } from '../store/schema.ts';
import { holdBlobsOfAnswers } from './job-blobs.ts';
import {
  checkpoints,
  envelopes,
  idempotencyKeys,
  jobs,
  logHeads,
  logNotes,
  logRestores,
  logTiles,
  refusedWork,
  revocations,
  scratch,
} from './records.ts';

export const spineSchema: Schema = {
  feature: 'spine',
  tables: [
    ...[jobs, idempotencyKeys, envelopes, logTiles, logHeads, logNotes, logRestores],
    ...[revocations, checkpoints, scratch, refusedWork],
  ],
  migrations: [{ name: 'hold the blobs of answers', run: holdBlobsOfAnswers }],
};
