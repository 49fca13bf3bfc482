import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Bus } from '../../../mesh/nats/bus.ts';
import { NatsFront } from '../../../mesh/nats/front.ts';
import { deploymentKeys } from '../../../mesh/nats/keys.ts';
import { findNatsServer, requireNatsServer, startNatsServer } from '../../../mesh/nats/server.ts';
import { serverConfig } from '../../../mesh/nats/server-config.ts';
import { natsBinary, natsMissing } from '../../servers/nats.ts';
import { keys, meshServer, nodeOf } from './deployment.ts';

const skip = natsMissing;

t.test('nats-server is where it was named, else on PATH, else where the checkout has put it', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'where-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  t.equal(findNatsServer({ path: root, root }), undefined);
  writeFileSync(join(root, 'nats-server'), '');
  t.equal(findNatsServer({ path: `/nowhere:${root}` }), join(root, 'nats-server'));
  t.equal(
    findNatsServer({ given: '/nowhere/nats-server', path: root }),
    undefined,
    'a name that is wrong is wrong',
  );
});

t.test('without a nats-server the refusal says how to get one', async (t) => {
  t.throws(() => requireNatsServer({ given: '/nowhere/nats-server' }), {
    code: 'MESH_UNAVAILABLE',
    message: /no nats-server at \/nowhere\/nats-server.*github\.com\/nats-io\/nats-server.*NATS_SERVER/,
  });
});

t.test('the configuration holds public keys only, and the same secret gives the same keys', async (t) => {
  const secret = new Uint8Array(32).fill(9);
  const text = serverConfig({ keys, folder: '/a "folder"', tls: { certFile: '/c.pem', keyFile: '/k.pem' } });
  t.match(text, 'store_dir: "/a \\"folder\\""');
  t.match(text, /tls \{\n {2}cert_file: "\/c\.pem"\n {2}key_file: "\/k\.pem"\n\}/);
  t.notMatch(text, /S[UA][A-Z2-7]{56}/, 'no seed');
  t.equal(deploymentKeys(secret).service.id, keys.service.id);
  t.equal(new Set([keys.service.id, keys.system.id, keys.issuer.id]).size, 3);
  t.throws(() => deploymentKeys(new Uint8Array(31)), RangeError);
});

t.test('only the service itself comes in while no service node answers', { skip }, async (t) => {
  const { url } = await meshServer(t);
  const own = await Bus.connect({ servers: url, identity: keys.service, name: 'service' });
  await own.close();
  const stranger = Bus.connect({ servers: url, identity: nodeOf(1), name: 'node' });
  t.equal(await stranger.catch(({ problem }) => problem), 'refused');
});

t.test('a service node with another secret is told which it takes', { skip }, async (t) => {
  const { url: servers } = await meshServer(t);
  const other = deploymentKeys(new Uint8Array(32).fill(10));
  const door = { isAdmitted: async () => true, now: () => 0n, onError: () => undefined };
  await t.rejects(NatsFront.open({ servers, keys: other, ...door }), {
    code: 'FORBIDDEN',
    message: /SVC_MESH_SECRET.*svc mesh config/,
  });
});

t.test('a server that is killed is started again on its port', { skip }, async (t) => {
  const server = await meshServer(t, true);
  const before = server.pid;
  await server.kill();
  t.not(server.pid, before);
  const bus = await Bus.connect({ servers: server.url, identity: keys.service, name: 'service' });
  t.ok(bus.isConnected);
  await bus.close();
});

t.test('a server that was left behind ends before its files are used again', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'left-'));
  const config = (port: number) => serverConfig({ keys, port, folder: join(folder, 'jetstream') });
  const left = await startNatsServer({ binary: natsBinary!, folder, config });
  const next = await startNatsServer({ binary: natsBinary!, folder, config });
  t.teardown(async () => {
    await Promise.all([left.stop(), next.stop()]);
    rmSync(folder, { recursive: true });
  });
  t.throws(() => process.kill(left.pid, 0), { code: 'ESRCH' });
  t.not(next.pid, left.pid);
});

t.test('the next start is on the port of the one before, where that is free', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'again-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const config = (port: number) => serverConfig({ keys, port, folder: join(folder, 'jetstream') });
  const start = () => startNatsServer({ binary: natsBinary!, folder, config });
  const first = await start();
  await first.stop();
  const second = await start();
  await second.stop();
  t.equal(second.port, first.port);
  const other = createServer().listen(first.port, '127.0.0.1');
  await once(other, 'listening');
  const third = await start();
  await third.stop();
  t.ok(third.port > 0 && third.port !== first.port, 'another program has it');
  other.close();
  writeFileSync(join(folder, 'nats-server.port'), 'nonsense');
  const fourth = await start();
  await fourth.stop();
  t.ok(fourth.port > 0);
});

t.test('a server that cannot start says why', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wrong-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const start = startNatsServer({ binary: natsBinary!, folder, config: () => 'nonsense: {' });
  await t.rejects(start, /nats-server ended with 1/);
});
