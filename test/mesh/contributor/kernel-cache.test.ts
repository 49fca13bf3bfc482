import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { KernelCache } from '../../../mesh/contributor/kernel-cache.ts';
import { fixtureCatalogue } from '../../workers/fixture-kernels.ts';

t.test(
  'a kernel is fetched once, held to its digest, and fetched anew when its file is damaged',
  async (t) => {
    const own = t.testdir();
    const catalogue = await fixtureCatalogue('counter');
    const bytes = catalogue.bytes(catalogue.digest('counter'))!;
    const kernel = catalogue.digest('counter');
    let fetched = 0;
    const fetch = async () => {
      fetched++;
      return bytes;
    };
    const cache = new KernelCache(own);
    await t.rejects(
      cache.bring(kernel, async () => new Uint8Array(8)),
      RangeError,
    );
    await Promise.all([cache.bring(kernel, fetch), cache.bring(kernel, fetch)]);
    t.equal(fetched, 1);
    t.same(readFileSync(join(own, 'kernels', `${kernel}.wasm`)), Buffer.from(bytes));
    const file = join(own, 'kernels', `${kernel}.wasm`);
    chmodSync(file, 0o600);
    writeFileSync(file, new Uint8Array(10));
    const next = new KernelCache(own);
    t.notOk(next.has(kernel), 'damaged');
    await next.bring(kernel, fetch);
    t.equal(fetched, 2);
  },
);
