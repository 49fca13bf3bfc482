import { type Problems, pageAfter, paged } from '../store/audit-pages.ts';
import { blobs } from '../store/blob-records.ts';
import { blobFault } from '../store/blobs.ts';
import type { Store } from '../store/store.ts';
import type { Row } from '../store/table.ts';

/** The bytes of every blob are those that its name is the digest of; a chunk of them is in memory at once. */
export async function auditBlobs(store: Store, problems: Problems): Promise<void> {
  const rows = paged<Row<typeof blobs>>((after) => store.find(blobs, pageAfter(after)));
  for await (const { digest, length } of rows) {
    const fault = await blobFault(store, digest, Number(length));
    if (fault === undefined) continue;
    const isStill = (await store.get(blobs, { digest })) !== undefined; // or it was swept meanwhile
    if (isStill) problems.add(`blob ${digest}: ${fault}`);
  }
}
