// A node on a folder of its own, for what the pages show of a real one: its description, and answers of quick runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);

export async function documentedNode() {
  const [{ ServiceNode }, { buildApp }] = await Promise.all([built('src/node.js'), built('src/http/app.js')]);
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-docs-'));
  const node = await ServiceNode.open({ dataDir, threads: 1 });
  const app = await buildApp(node, { host: '127.0.0.1', port: 0, logLevel: 'silent', requestsPerMinute: 0 });
  const { zid } = await node.accounts.create({ fuel: 10n ** 12n });
  const response = await app.inject('/api/openapi.json');
  return {
    description: response.json(),
    expectedPrice: async (solver, body) => {
      const { price_plancks, expected_plancks = price_plancks } = await node.spine.quote(solver, body);
      return BigInt(expected_plancks);
    },
    answer: async (solver, body) => {
      const job = await node.spine.submit({ account: zid, solver, body });
      return JSON.parse(new TextDecoder().decode((await job.outcome).answer));
    },
    close: async () => {
      await app.close();
      await node.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
