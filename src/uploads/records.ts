import type { Schema } from '../store/schema.ts';
import { table } from '../store/table.ts';

/** Bytes that an account's uploads are counted as; every upload and deletion writes it, so that none is missed. */
export const uploadUsage = table({
  name: 'upload_usage',
  key: ['account'],
  columns: { account: 'text', bytes: 'int64' },
});

export const uploadsSchema: Schema = { feature: 'uploads', tables: [uploadUsage] };
