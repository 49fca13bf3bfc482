import { sha256 } from '#crypto';
import { type BlobReference, blobDigest, type FieldEntry, isBlobReference } from './answer.ts';
import { doubleBits, doublesOf, toHex } from './bytes.ts';
import { canonicalBytes } from './canonical.ts';
import { checkStands, resultOf, rowsOf } from './check-runs.ts';
import type { Checks } from './checks.ts';
import type { Envelope } from './envelope.ts';
import type { AnswerFile } from './read-answer.ts';
import { shownHash } from './shown-hash.ts';
import { shownNumbers, traceableNumbers } from './traceable.ts';
import { gateKindsOf, readVerdictBytes, type VerdictBytes, worstError } from './verdict-bytes.ts';
import { rowFault, verdictFault } from './verdict-rules.ts';

/** Value, precision and gates against the verdict's result bytes. */
export function checkVerdict(file: AnswerFile, checks: Checks): void {
  const { answer } = file;
  let verdict: VerdictBytes;
  try {
    verdict = readVerdictBytes(resultOf(file, file.runs.length - 1)!);
  } catch (error) {
    checks.that('verdict', '/verdict', false, (error as Error).message);
    return;
  }
  checks.equal('value', '/envelope/valueBits', answer.envelope.valueBits, doubleBits(verdict.value + 0));
  checks.equal(
    'precision',
    '/envelope/precisionActual',
    answer.envelope.precisionActual,
    verdict.precisionActual,
  );
  checks.equal('worst gate', '/verdict', verdict.precisionActual, worstError(verdict.rows));
  checks.equal('gate kinds', '/envelope/gateKinds', answer.envelope.gateKinds, gateKindsOf(verdict.rows));
  const rows = answer.gates.map(
    ({ name: _name, quantity: _quantity, source: _source, ...numbers }) => numbers,
  );
  checks.equal('gates', '/gates', rows, verdict.rows);
  const fault = verdictFault(verdict);
  checks.that('verdict', '/verdict', fault === undefined, 'a gate stands behind the value', fault);
  verdict.rows.forEach((row, i) => {
    const fault = rowFault(row, verdict.rows);
    checks.that('gate', `/gates/${i}`, fault === undefined, 'within its bound', fault);
  });
}

/** What the answer repeats of the envelope: value, unit, charges, request. */
export function checkRepeated(file: AnswerFile, checks: Checks): void {
  const { answer } = file;
  const { envelope } = answer;
  checks.equal('value', '/value', doubleBits(answer.value), envelope.valueBits);
  checks.equal('value', '/envelope/value', doubleBits(envelope.value), envelope.valueBits);
  checks.equal('unit', '/unit', answer.unit, envelope.unit);
  checks.equal('charges', '/charges', answer.charges, chargesOf(envelope));
  const paid = BigInt(envelope.from_bond_plancks) + BigInt(envelope.from_fuel_plancks);
  checks.equal('price', '/envelope/price_plancks', envelope.price_plancks, String(paid));
  const isCovered = BigInt(envelope.price_plancks) <= BigInt(envelope.work);
  checks.that('price', '/envelope/price_plancks', isCovered, '1 planck a work unit', 'more than the work');
  checkRequest(file, checks);
}

function chargesOf({ work, price_plancks, from_bond_plancks, from_fuel_plancks }: Envelope) {
  return { work, price_plancks, from_bond_plancks, from_fuel_plancks };
}

function checkRequest(file: AnswerFile, checks: Checks): void {
  const { request, runs, envelope } = file.answer;
  const digest = blobDigest(request) ?? toHex(sha256(canonicalBytes(request)));
  checks.equal('request', '/request', digest, envelope.requestHash);
  if (isBlobReference(request)) checkReference(request, file.request, '/request', checks);
  if (isBlobReference(runs)) checkReference(runs, file.runs, '/runs', checks);
}

/** What stands outside has the length that is said; where it is not in the file, nobody knows. */
function checkReference(entry: BlobReference, held: unknown, at: string, checks: Checks): void {
  if (held === undefined) checks.leave(at, 'it is in a blob that is not in the file');
  else checks.equal('length', `${at}/length`, entry.length, canonicalBytes(held).length);
}

/** Why a number that the answer itself lists as unsealed stays open; no rerun proves it either. */
export const UNSEALED = 'shown, not sealed: the answer says so itself';

/** Why what is shown stays open; no rerun proves it but one with the solver of that release. */
export const UNBOUND =
  'names, words and places of what is shown: the envelope of an earlier release does not bind them';

/** The releases whose envelopes do not bind what is shown. */
const beforeShownHash = new Set(['0.1.0', '0.2.0', '0.3.0']);

/** What is shown beside the value, to the last word, is what the envelope was sealed over. */
export function checkShownHash({ answer, runs }: AnswerFile, checks: Checks): void {
  const { shownHash: sealed, engine_version } = answer.envelope;
  if (sealed === undefined && beforeShownHash.has(engine_version))
    checks.leave('/envelope/shownHash', UNBOUND);
  else checks.equal('what is shown', '/envelope/shownHash', shownHash(answer, runs), sealed ?? null);
}

/** Numbers beside the value: each is found among sealed bytes, or the answer itself lists it as unsealed. */
export function checkShownNumbers(file: AnswerFile, bound: ReadonlySet<number>, checks: Checks): void {
  const known = traceableNumbers(file.answer, { ...file, isBound: (run) => bound.has(run) });
  const unsealed = new Set(file.answer.unsealed);
  const made: string[] = [];
  for (const [pointer, value] of shownNumbers(file.answer)) {
    if (unsealed.has(pointer)) checks.leave(pointer, UNSEALED);
    else if (!known.has(value)) made.push(pointer);
  }
  checks.that(
    'shown numbers',
    made[0] ?? '',
    made.length === 0,
    'all stand in sealed bytes',
    'in no sealed byte',
  );
}

export function checkFields(file: AnswerFile, checks: Checks): void {
  file.answer.fields.forEach((field, i) => {
    const at = `/fields/${i}`;
    const { run, of } = field.source;
    checks.that('field', `${at}/shape`, ...shapeFits(field));
    const isThere = run < file.runs.length;
    if (!checks.that('field', `${at}/source/run`, isThere, 'is a run', 'there is no such run')) return;
    if (!checkStands(file, field.source, `${at}/source`, 'field', checks)) return;
    const bytes = of === 'result' ? resultOf(file, run) : rowsOf(file, run);
    if (!bytes) checkWithoutSource(file, field, at, checks);
    else checkField(field, bytes, at, checks);
    if (bytes && of === 'rows') checks.leave(at, 'equals the rows in the file, which only a rerun proves');
  });
}

/** A field that shows numbers as sealed ones shows what seals them; any other may wait for a rerun. */
function checkWithoutSource(file: AnswerFile, field: FieldEntry, at: string, checks: Checks): void {
  const { run, of } = field.source;
  const shows = !isBlobReference(field.values) || file.blob(blobDigest(field.values)!) !== undefined;
  const missing = `the ${of} of run ${run} is not in the file`;
  if (field.sealed && shows) checks.that('field', at, false, `${missing}, and nothing else vouches for it`);
  else checks.leave(at, `${missing}: a rerun makes it`);
}

/** The shape fills the source and counts the values, whether or not the source is in the file. */
function shapeFits({ shape, source, values }: FieldEntry): [ok: boolean, detail: string, otherwise: string] {
  const numbers = shape.reduce((product, extent) => product * extent, 1);
  const count = isBlobReference(values) ? values.length / 8 : values.length;
  const fits = numbers * 8 === source.length && count === numbers;
  return [fits, 'fits its source and its values', 'does not fit its source and its values'];
}

/** A field against the bytes of its source; a re-execution calls it with bytes that it made itself. */
export function checkField(field: FieldEntry, source: Uint8Array, at: string, checks: Checks): void {
  const { from, length } = field.source;
  const slice = source.slice(from, from + length);
  const fits = slice.length === length;
  if (!checks.that('field', `${at}/source`, fits, 'lies within', 'reaches beyond its run')) return;
  if (isBlobReference(field.values)) {
    checks.equal('field', `${at}/values`, field.values.$blob, `sha256:${toHex(sha256(slice))}`);
  } else checks.equal('field', `${at}/values`, field.values, [...doublesOf(slice)]);
}
