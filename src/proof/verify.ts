import { sha256 } from '#crypto';
import { modulation } from '../clock/pulse.ts';
import { blobDigest } from './answer.ts';
import { fromBase64, toHex } from './bytes.ts';
import { checkRuns } from './check-runs.ts';
import {
  checkFields,
  checkRepeated,
  checkShownHash,
  checkShownNumbers,
  checkVerdict,
} from './check-shown.ts';
import { type Checkpoint, readCheckpoint } from './checkpoint.ts';
import { type Check, Checks, type Unchecked } from './checks.ts';
import type { HmacKey } from './crypto-keys.ts';
import {
  type Envelope,
  envelopeBytes,
  type Generation,
  generationDetail,
  PRECISION_BOUND,
  verifyProof,
} from './envelope.ts';
import type { Digest } from './job.ts';
import { verifyInclusion } from './log-tree.ts';
import { leafHash } from './merkle.ts';
import { isSignedBy, type NoteVerifier, readVkey } from './note.ts';
import type { AnswerFile } from './read-answer.ts';
import { derivedReceipt, tickReceipt } from './receipt.ts';
import { checkKernels, type ReleaseFound, type Releases } from './releases.ts';

export interface Trust {
  /** Verifier keys that the caller trusts: given by hand, or pinned before. Never one that came with the file. */
  readonly vkeys: readonly string[];
  /** The node's HMAC key, for whoever holds it. */
  readonly hmacKey?: HmacKey;
  /** The releases whose kernels are known; without it every release is unknown. */
  readonly releases?: Releases;
  /** Whether an answer of an unknown release is UNKNOWN_RELEASE, and not sound. */
  readonly strict?: boolean;
}

export interface Verification {
  readonly sound: boolean;
  readonly verdict: 'SOUND' | 'NOT_SOUND' | 'UNKNOWN_NODE' | 'UNKNOWN_RELEASE';
  readonly generation: Generation;
  /** What was found, in a sentence. */
  readonly detail: string;
  readonly node: string;
  /** Size of the log at the signed checkpoint: sound as of here. */
  readonly asOf: number | undefined;
  /** The release that the envelope names, and whether the kernels were compared with its table. */
  readonly release: ReleaseFound;
  readonly checks: readonly Check[];
  /** What this file cannot prove; a rerun can. */
  readonly unchecked: readonly Unchecked[];
}

/**
 * Verifies an answer offline: everything in it that follows from something else is recomputed, up to the signed
 * checkpoint of the node's log (docs/protocol.md, 'Verification').
 */
export function verifyAnswer(file: AnswerFile, trust: Trust): Verification {
  const checks = new Checks();
  checkHeld(file, checks);
  checkRepeated(file, checks);
  checkVerdict(file, checks);
  const bound = checkRuns(file, checks);
  const release = checkKernels(file.answer.envelope.engine_version, file.runs, trust.releases ?? {}, checks);
  checkTime(file.answer.envelope, checks);
  checkReceipt(file, checks);
  checkShownNumbers(file, bound, checks);
  checkFields(file, checks);
  checkShownHash(file, checks);
  const checkpoint = checkLog(file, checks);
  const key = trustedKey(file.answer.envelope.node, trust, checks);
  if (key && checkpoint) {
    const isSigned = isSignedBy(checkpoint.note, key);
    checks.that(
      'signature',
      '/receipt/log/checkpoint',
      isSigned,
      `signed by ${key.name}`,
      `not signed by ${key.name}`,
    );
  }
  if (trust.hmacKey) {
    const { sound, detail } = verifyProof(file.answer.envelope, trust.hmacKey);
    checks.that('hmac', '/envelope/proof', sound, detail);
  }
  const doubt =
    key === undefined ? 'UNKNOWN_NODE' : trust.strict && !release.known ? 'UNKNOWN_RELEASE' : 'SOUND';
  return conclusion(file.answer.envelope, checks, checkpoint, release, doubt);
}

function conclusion(
  envelope: Envelope,
  checks: Checks,
  checkpoint: Checkpoint | undefined,
  release: ReleaseFound,
  otherwise: Verification['verdict'],
): Verification {
  const failed = checks.made.find((check) => !check.ok);
  const verdict = failed ? 'NOT_SOUND' : otherwise;
  const { node, generation } = envelope;
  const asOf = checkpoint?.size;
  const details = {
    NOT_SOUND: failed && `${failed.where}: ${failed.name}: ${failed.detail}`,
    UNKNOWN_RELEASE: release.detail,
    UNKNOWN_NODE: `consistent in itself, but no trusted key of ${node} was given`,
    SOUND: `sound as of checkpoint ${asOf} of ${node}; ${generationDetail[generation]}`,
  };
  return {
    sound: verdict === 'SOUND',
    verdict,
    generation,
    detail: details[verdict]!,
    node,
    asOf,
    release,
    checks: checks.made,
    unchecked: checks.open,
  };
}

/** Bytes that came with the file are what their names say. */
function checkHeld(file: AnswerFile, checks: Checks): void {
  const check = (what: string, digest: string, bytes: Uint8Array | undefined) => {
    const hash = bytes && toHex(sha256(bytes));
    checks.that(what, `/${what}s/${digest}`, hash === digest, 'has this digest', `hashes to ${hash}`);
  };
  for (const digest of file.blobDigests) check('blob', digest, file.blob(digest));
  for (const digest of file.kernelDigests) check('kernel', digest, file.kernel(digest));
  if (!file.isBundle) return;
  const mustStand = (what: string, digest: Digest, bytes: Uint8Array | undefined) =>
    checks.that(what, `/${what}s/${digest}`, bytes !== undefined, 'is there', 'is not in the bundle');
  for (const digest of blobsOf(file)) mustStand('blob', digest, file.blob(digest));
  for (const digest of new Set(file.runs.map(({ kernel }) => kernel)))
    mustStand('kernel', digest, file.kernel(digest));
}

/** What a bundle must hold: the blobs that stand for a request, parameters, results, rows and values. */
function blobsOf({ answer, runs }: AnswerFile): ReadonlySet<Digest> {
  const entries = [answer.request, ...answer.fields.map(({ values }) => values)];
  const parts = runs.flatMap((run) => run.parts);
  const named = [...entries, ...runs.flatMap(({ result, rows }) => [result, rows])].map(blobDigest);
  return new Set(
    [...named, ...parts.map((part) => ('blob' in part ? part.blob : undefined))].filter(isDigest),
  );
}

const isDigest = (digest: Digest | undefined): digest is Digest => digest !== undefined;

/** Tick, phase, master sum and R from t_ns and the value. */
function checkTime(envelope: Envelope, checks: Checks): void {
  const expected = modulation(envelope.value, BigInt(envelope.t_ns));
  const { tick, phase, masterSum, R } = envelope;
  checks.equal('time', '/envelope', { tick, phase, masterSum, R }, expected);
}

function checkReceipt(file: AnswerFile, checks: Checks): void {
  const { receipt, envelope, tick_averaged, tick_receipt } = file.answer;
  const {
    log: _log,
    masterEquation: _m,
    functionalEquation: _f,
    spectralPropagator: _s,
    ...derived
  } = receipt;
  const expected = derivedReceipt(envelope);
  checks.equal('receipt', '/receipt', derived, expected);
  checks.equal('receipt', '/tick_averaged', tick_averaged, expected.tick_averaged);
  checks.equal('receipt', '/tick_receipt', tick_receipt, tickReceipt(envelope));
}

/** Envelope → leaf → inclusion → checkpoint. */
function checkLog(file: AnswerFile, checks: Checks): Checkpoint | undefined {
  const { envelope, receipt } = file.answer;
  checks.equal('precision bound', '/envelope/precisionBound', envelope.precisionBound, PRECISION_BOUND);
  const { precisionActual, generation, proof } = envelope;
  checks.that(
    'precision',
    '/envelope/precisionActual',
    precisionActual <= PRECISION_BOUND,
    'within the bound',
    'above it',
  );
  const proofFits = (proof === null) === (generation === 'pre_genesis');
  checks.that(
    'generation',
    '/envelope/proof',
    proofFits,
    generationDetail[generation],
    'only pre_genesis has no proof',
  );
  const leaf = attempt(checks, '/envelope', () => envelopeBytes(envelope));
  const checkpoint = attempt(checks, '/receipt/log/checkpoint', () => readCheckpoint(receipt.log.checkpoint));
  const path = attempt(checks, '/receipt/log/path', () => receipt.log.path.map(fromBase64));
  if (!leaf || !checkpoint || !path) return undefined;
  checks.equal('origin', '/receipt/log/checkpoint', checkpoint.origin, envelope.node);
  const isIncluded = verifyInclusion(
    receipt.log.index,
    checkpoint.size,
    leafHash(leaf),
    path,
    checkpoint.root,
  );
  checks.that(
    'inclusion',
    '/envelope',
    isIncluded,
    `leaf ${receipt.log.index} of ${checkpoint.size}`,
    'envelope, index and path do not lead to the root of the checkpoint',
  );
  return checkpoint;
}

function attempt<T>(checks: Checks, where: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    checks.that('form', where, false, (error as Error).message);
    return undefined;
  }
}

/** The trusted key of this node. A key that cannot be read is the caller's mistake and throws a RangeError. */
function trustedKey(node: string, trust: Trust, checks: Checks): NoteVerifier | undefined {
  const keys = trust.vkeys.map(readVkey);
  const key = keys.find(({ name }) => name === node);
  if (!key && keys.length > 0) {
    checks.leave('/envelope/node', `${node} is not ${keys.map(({ name }) => name).join(' or ')}`);
  }
  return key;
}
