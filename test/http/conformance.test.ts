import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../root.ts';
import { testApp } from './test-app.ts';

const folder = join(repositoryRoot, 'src', 'operators', 'data');

/** As docs/operators.md says: each name, a zero byte, the content, in the order of the names. */
function corpusDigest(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder)
    .filter((each) => each.endsWith('.json'))
    .sort())
    hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

t.test('conformance over HTTP', async (t) => {
  const api = await testApp(t);
  const noKey = { authorization: '' };

  t.test('version, digest and drift of the registry are told (OP-05, OP-08)', async (t) => {
    const { status, body } = await api.get('/api/svc/conformance', noKey);
    t.equal(status, 200);
    t.equal(body.corpus_sha256, corpusDigest());
    t.match(body, {
      registry_version: /^\d+\.\d+\.\d+$/,
      operators: Number,
      categories: Number,
      examples: Number,
    });
    const released = JSON.parse(readFileSync(join(folder, '..', 'release.json'), 'utf8'));
    t.equal(body.registry_drift, released.corpus_sha256 !== body.corpus_sha256);
    t.type(body.kernels_drift, 'boolean');
    t.equal((await api.get('/api/svc/operators?limit=1')).body.total, body.operators);
  });

  t.test('the badge is an image that needs nothing else (OP-06)', async (t) => {
    const { status, headers, text } = await api.get('/api/conformance/badge.svg', noKey);
    t.equal(status, 200);
    t.match(headers['content-type'], /^image\/svg\+xml/);
    t.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>\n$/s);
    t.notMatch(text, /href|url\(|<script|<style|<image|@import/);
    const { body } = await api.get('/api/svc/conformance', noKey);
    t.match(text, body.registry_drift || body.kernels_drift ? /drift/ : `${body.operators} operators`);
  });
});
