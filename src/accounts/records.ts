import type { Schema } from '../store/schema.ts';
import { table } from '../store/table.ts';

export const accounts = table({
  name: 'accounts',
  key: ['zid'],
  columns: { zid: 'text', label: 'text?', created_ns: 'int64' },
});

/** Account keys: the secret is kept as its SHA-256 only. */
export const accountKeys = table({
  name: 'account_keys',
  key: ['id'],
  columns: {
    id: 'text',
    zid: 'text',
    secret_sha256: 'blob',
    created_ns: 'int64',
    revoked_ns: 'int64?',
  },
  indexes: [{ columns: ['zid'] }],
});

export const accountsSchema: Schema = { feature: 'accounts', tables: [accounts, accountKeys] };
