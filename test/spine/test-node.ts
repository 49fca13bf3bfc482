import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plancksPerHour } from '../../src/ledger/plancks.ts';
import { type NodeConfig, ServiceNode } from '../../src/node.ts';
import type { Answer } from '../../src/proof/answer.ts';

interface Test {
  teardown(work: () => Promise<void>): void;
}

export const hour = plancksPerHour;

/** A node on a folder of its own, closed and removed with the test. */
export async function testNode(t: Test, config: Partial<NodeConfig> = {}): Promise<ServiceNode> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-node-'));
  const node = await ServiceNode.open({ dataDir, threads: 2, ...config });
  t.teardown(async () => {
    await node.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return node;
}

export const answerOf = (bytes: Uint8Array): Answer => JSON.parse(new TextDecoder().decode(bytes));

/** solve's damped oscillator: x(3) = −0.0551672173869299 m (closed form, 25 digits). */
export const oscillator = { inputs: { t_end: 3, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 } };

/** The figure-eight of Chenciner and Montgomery (2000) with Simó's initial data. */
export const figureEight = {
  position: [
    [0.97000436, -0.24308753, 0],
    [-0.97000436, 0.24308753, 0],
    [0, 0, 0],
  ],
  velocity: [
    [0.466203685, 0.43236573, 0],
    [0.466203685, 0.43236573, 0],
    [-0.93240737, -0.86473146, 0],
  ],
  mass: [1, 1, 1],
  referenceMode: 'gravity',
  G: 1,
  dt: 0.005,
  t_max: 2.5,
};
