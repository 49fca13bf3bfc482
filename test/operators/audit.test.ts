import { readFileSync } from 'node:fs';
import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import { AUDIT_SEED, auditSample } from './audit-sample.ts';

const rows = [...registry().rows.values()];
const text = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const page = text('docs/registry-audit.md');
const section = page.split(/^## /m).find((part) => part.includes(`\`${AUDIT_SEED} ID\``))!;
const named = [...section.split('**The rows.**')[1]!.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g)].map(
  ([id]) => id,
);
const drawn = auditSample(rows, AUDIT_SEED);

t.test('the audit read the rows that its seed and its rule draw from the registry as it is', async (t) => {
  t.same([...named].sort(), [...drawn].sort());
  t.not(auditSample(rows, `${AUDIT_SEED}.`).join(), drawn.join(), 'another seed draws others');
  t.ok(drawn.length >= 100, `${drawn.length} rows`);
});

t.test('every category that gives numbers has an audited row', async (t) => {
  const categoryOf = (id: string) => registry().rows.get(id)!.category;
  const giving = rows.filter(({ expression, ode }) => expression ?? ode).map(({ category }) => category);
  t.same(new Set(drawn.map(categoryOf)), new Set(giving));
});

t.test('the page says of how many rows, and every row was computed again from another form', async (t) => {
  t.match(
    section,
    new RegExp(`^22 November 2026: ${drawn.length} of ${rows.length.toLocaleString('en')} rows`),
  );
  const forms = text('test/operators/fixtures/audit.py').split('FORMS = {')[1]!;
  t.same([...forms.matchAll(/^ {4}"([A-Z0-9_]+)":/gm)].map(([, id]) => id).sort(), [...drawn].sort());
});
