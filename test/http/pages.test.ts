import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { repositoryRoot } from '../root.ts';
import { testApp } from './test-app.ts';

const policy = {
  "default-src 'none'": 'nothing by default',
  "script-src 'self'": 'scripts of this node, none inline, no eval',
  "style-src 'self'": 'style sheets of this node, none inline',
  "connect-src 'self'": 'it asks this node alone',
  "base-uri 'none'": 'no other base',
  "form-action 'none'": 'no form is sent anywhere',
  "frame-ancestors 'none'": 'no frame around it',
  "require-trusted-types-for 'script'": 'no text becomes markup',
};

t.test('GET /docs/operators', async (t) => {
  const api = await testApp(t);
  const get = (url: string, headers = {}) => api.app.inject({ method: 'GET', url, headers });
  const page = await get('/docs/operators');

  t.test('is a page that needs no key, under a policy without inline scripts', async (t) => {
    t.match(page, { statusCode: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const directives = String(page.headers['content-security-policy']).split('; ');
    for (const [directive, why] of Object.entries(policy)) t.ok(directives.includes(directive), why);
    t.notMatch(String(page.headers['content-security-policy']), /unsafe|\*|https?:/);
    t.notMatch(page.payload, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i, 'nothing stands inline');
  });

  t.test('every file that it names is served, and none is of another host', async (t) => {
    const seen = new Set<string>();
    const queue = ['/docs/operators'];
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      if (seen.has(url)) continue;
      seen.add(url);
      const { statusCode, payload, headers } = await get(url);
      t.equal(statusCode, 200, url);
      t.equal(headers['x-content-type-options'], 'nosniff');
      queue.push(...namedBy(url, payload).map((named) => posix.resolve(posix.dirname(url), named)));
    }
    t.ok([...seen].some((url) => url.endsWith('.woff2')));
    t.ok(
      [...seen].some((url) => url.endsWith('/src/proof/verify.js')),
      'the verifier too',
    );
    t.ok([...seen].every((url) => url.startsWith('/docs/')));
    t.ok(seen.size > 40 && seen.size < 120, `${seen.size} files`);
  });

  t.test('a file never changes under its address, and comes packed to who takes that', async (t) => {
    const script = /src="(\S+operators-page\.js)"/.exec(page.payload)![1]!;
    const plain = await get(script);
    t.match(plain.headers, { 'cache-control': /immutable/, 'content-type': /^text\/javascript/ });
    const packed = await get(script, { 'accept-encoding': 'br, gzip' });
    t.equal(packed.headers['content-encoding'], 'gzip');
    t.equal(gunzipSync(packed.rawPayload).toString(), plain.payload);
    const again = await get('/docs/operators', { 'if-none-match': page.headers.etag });
    t.match(again, { statusCode: 304, payload: '' });
  });

  t.test('nothing else of the disk can be asked for', async (t) => {
    const base = /"(\/docs\/assets\/[0-9a-f]+)\//.exec(page.payload)![1]!;
    const others = ['package.json', '../../package.json', '%2e%2e/%2e%2e/package.json', 'src/main.ts', ''];
    for (const path of [...others, 'vendor/katex/package.json', 'constructor', '__proto__'])
      t.match(await get(`${base}/${path}`), { statusCode: 404 }, path);
    t.equal((await get('/docs/assets/0123/src/console/operators.css')).statusCode, 404, 'an old version');
  });

  t.test('the root of the node leads to it', async (t) => {
    t.match(await get('/'), { statusCode: 302, headers: { location: '/docs/operators' } });
  });
});

t.test('the sources of the page name no other host and turn no text into markup', async (t) => {
  const folder = join(repositoryRoot, 'src', 'console');
  const forbidden = [
    ['another host', /https?:\/\/(?!www\.w3\.org\/2000\/svg)|["'(]\/\//],
    [
      'text as markup',
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment/,
    ],
    ['text as code', /\beval\(|new Function|setTimeout\(['"`]/],
    ['a store for the key', /localStorage|sessionStorage|indexedDB|document\.cookie/],
  ] as const;
  const breaches = (text: string) =>
    forbidden.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  for (const name of readdirSync(folder))
    t.same(breaches(readFileSync(join(folder, name), 'utf8')), [], name);
  t.same(breaches('x.innerHTML = y; fetch("https://example.org"); localStorage.k = 1; eval(z)'), [
    'another host',
    'text as markup',
    'text as code',
    'a store for the key',
  ]);
});

/** What a file of the page makes a browser ask for. */
function namedBy(url: string, text: string): string[] {
  const patterns = url.endsWith('.css')
    ? [/url\(([^)\s]+\.woff2)\)/g]
    : url.endsWith('.js')
      ? [
          /^(?:(?:import|export)\b[^;'"]*?\bfrom\s*|import\s*)['"]([^'"]+)['"]/gm,
          /\bimport\(['"]([^'"]+)['"]\)/g,
        ]
      : url.endsWith('/operators')
        ? [/<(?:link|script)\b[^>]*?(?:href|src)="([^"]+)"/g]
        : [];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, named]) => named!));
}
