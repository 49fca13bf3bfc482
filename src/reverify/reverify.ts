import { sha256 } from '#crypto';
import { MissingPiece, type Rerun } from '../../workers/reexecute.ts';
import { knownReleases } from '../../workers/rerun-releases.ts';
import type { RerunRun } from '../../workers/rerun-thread.ts';
import { rerunWatched } from '../../workers/rerun-watched.ts';
import { tickOf } from '../clock/pulse.ts';
import { escaped, printable } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { toHex } from '../proof/bytes.ts';
import type { HmacKey } from '../proof/crypto-keys.ts';
import type { Digest } from '../proof/job.ts';
import type { NoteSigner } from '../proof/note.ts';
import { type AnswerFile, readAnswer } from '../proof/read-answer.ts';
import type { Releases } from '../proof/releases.ts';
import { type SignedStatement, signStatement } from '../proof/statement.ts';
import { type Verification, verifyAnswer } from '../proof/verify.ts';
import { notPlannable, type PlannedAgain, planAgain } from '../spine/planned-again.ts';
import type { RevocationRow } from '../spine/records.ts';
import { engineVersion } from '../version.ts';

/** Work units that are executed again for a stranger: 10 s of the reference core. */
export const REVERIFY_WORK = 10_000_000_000n;
/** Of the clock, for a machine that is slower or busy. */
export const REVERIFY_MS = 60_000;
const STILL_MS = 10_000;
/** Bytes that a plan, and what its runs gave, may take beside everybody else's. */
const PLAN_MEMORY = 2 ** 26;
const DETAIL_LENGTH = 500;

export interface Reverified extends SignedStatement {
  readonly verdict: 'SOUND' | 'NOT_SOUND' | 'UNKNOWN_NODE' | 'REVOKED';
  /** JSON pointer of the first fault; null where there is none. */
  readonly where: string | null;
  readonly detail: string;
  /** Whether the rerun gave the same digests; null where nothing was executed: the file had failed, or is revoked. */
  readonly agrees: boolean | null;
  readonly runs: number;
  readonly segments: number;
}

export interface ReverifierParts {
  readonly signer: NoteSigner;
  readonly hmacKey: HmacKey;
  /** The revocation of a result that this node sealed, if there is one. */
  readonly revocationOf: (tokenId: string) => Promise<RevocationRow | undefined>;
  /** Digest of the kernel of this name. */
  readonly kernel: (name: string) => Digest;
  readonly now: () => bigint;
}

/**
 * Verifies an answer or a bundle, executes it again on a watched thread, and signs what came of it (CMP-14). Only
 * kernels of a release that is known here are executed, for they count their work honestly; an answer of this release
 * is also planned and laid out again by its solver. What this node sealed and
 * took back since is REVOKED; of what another took back only that one can tell. Charges nothing.
 */
export class Reverifier {
  readonly #parts: ReverifierParts;
  readonly #stopped = new AbortController();
  #releases: Releases | undefined;

  constructor(parts: ReverifierParts) {
    this.#parts = parts;
  }

  /** Ends the reruns under way and begins no more: a node that goes down waits for no stranger's file. */
  stop(): void {
    this.#stopped.abort();
  }

  /** @throws Refusal INVALID_INPUT · UNSUPPORTED · LIMIT_EXCEEDED · KERNEL_CRASHED · SHUTTING_DOWN */
  async reverify(bytes: Uint8Array): Promise<Reverified> {
    const file = readAnswer(bytes);
    this.#releases ??= knownReleases();
    refuseUnknownRelease(file, this.#releases);
    refuseLongWork(file);
    const found = this.#verified(file, this.#releases);
    const judged = await this.#judged(file, bytes, found);
    return { ...judged, ...this.#signed(judged, file, bytes) };
  }

  async #judged(file: AnswerFile, bytes: Uint8Array, found: Verification): Promise<Judged> {
    if (found.verdict === 'NOT_SOUND') return faultOf(found);
    const { token_id } = file.answer.envelope;
    const isOwn = found.verdict === 'SOUND' && token_id !== null;
    const revocation = isOwn ? await this.#parts.revocationOf(token_id) : undefined;
    return revocation ? revokedBy(revocation) : this.#rerun(file, bytes, found);
  }

  #verified(file: AnswerFile, releases: Releases): Verification {
    const { signer, hmacKey } = this.#parts;
    const isOwn = file.answer.envelope.node === signer.name;
    return verifyAnswer(file, { vkeys: [signer.vkey], releases, ...(isOwn ? { hmacKey } : {}) });
  }

  async #rerun(file: AnswerFile, bytes: Uint8Array, found: Verification): Promise<Judged> {
    const stopped = this.#stopped.signal;
    if (stopped.aborted) throw shuttingDown();
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(REVERIFY_MS)]);
    const runs: RerunRun[] = [];
    const kept = notPlannable(file) === undefined && {
      bytes: PLAN_MEMORY,
      on: (run: RerunRun) => void runs.push(run),
    };
    const options = { releases: this.#releases!, stillMs: STILL_MS, signal, ...(kept && { runs: kept }) };
    const rerun = await rerunWatched(bytes, options).catch((error) => {
      if (stopped.aborted) throw shuttingDown();
      throw signal.aborted ? tooLong() : (missingPiece(error) ?? error);
    });
    const planned = rerun.agrees ? await planAgain(file, runs, this.#parts.kernel, PLAN_MEMORY) : undefined;
    return verdictOf(found, rerun, planned);
  }

  #signed(judged: Judged, file: AnswerFile, bytes: Uint8Array): SignedStatement {
    const { signer, now } = this.#parts;
    const tNs = now();
    const { node, solver, jobRoot, token_id, engine_version } = file.answer.envelope;
    const of = { node: escaped(node), solver: escaped(solver), jobRoot, engine_version };
    return signStatement(signer, 'svc-reverify-1', {
      ...judged,
      file_sha256: toHex(sha256(bytes)),
      of: { ...of, token_id: token_id === null ? null : escaped(token_id) },
      ...{ node: signer.name, engine_version: engineVersion, tick: tickOf(tNs), t_ns: String(tNs) },
    });
  }
}

type Judged = Omit<Reverified, keyof SignedStatement>;

const short = (text: string): string => escaped(text.slice(0, DETAIL_LENGTH));

const unexecuted = { agrees: null, runs: 0, segments: 0 };

function faultOf({ checks, detail }: Verification): Judged {
  const fault = checks.find(({ ok }) => !ok)!;
  return {
    ...{ verdict: 'NOT_SOUND', where: short(fault.where), detail: short(detail) },
    ...unexecuted,
  };
}

/** As it was sealed it is sound; it does not stand any more. */
function revokedBy({ challenge, outcome, leaf_index }: RevocationRow): Judged {
  const detail = `revoked by leaf ${leaf_index} of the log: challenge ${challenge} ended as ${outcome}`;
  return { ...{ verdict: 'REVOKED', where: '/envelope', detail: short(detail) }, ...unexecuted };
}

function verdictOf({ verdict, detail }: Verification, rerun: Rerun, planned?: PlannedAgain): Judged {
  const { agrees, runs, segments, divergence } = rerun;
  const counts = { agrees, runs, segments };
  if (!agrees)
    return {
      ...{ verdict: 'NOT_SOUND', where: `/runs/${divergence?.run ?? 0}`, detail: short(rerun.detail) },
      ...counts,
    };
  if (planned?.agrees === false)
    return { verdict: 'NOT_SOUND', where: short(planned.where!), detail: short(planned.detail), ...counts };
  const both = short(`${detail}; ${rerun.detail}`);
  if (verdict === 'SOUND') return { verdict, where: null, detail: both, ...counts };
  return { verdict: 'UNKNOWN_NODE', where: '/envelope/node', detail: both, ...counts };
}

function refuseUnknownRelease(file: AnswerFile, releases: Releases): void {
  const { engine_version } = file.answer.envelope;
  if (Object.hasOwn(releases, engine_version)) return;
  refuse(
    'UNSUPPORTED',
    `This node has no kernels of the release ${printable(engine_version)}, and executes no others for strangers; ` +
      'svc rerun does it on your machine.',
    { field: 'envelope.engine_version', accepts: Object.keys(releases) },
  );
}

function refuseLongWork(file: AnswerFile): void {
  const work = file.runs.reduce((sum, run) => sum + BigInt(run.work), 0n);
  if (work <= REVERIFY_WORK) return;
  refuse(
    'LIMIT_EXCEEDED',
    `The runs of this answer took ${work} work units; ${REVERIFY_WORK} (10 s of the reference core) are executed ` +
      'again for strangers. svc rerun does it on your machine.',
    { field: 'runs', accepts: `at most ${REVERIFY_WORK} work units` },
  );
}

const shuttingDown = (): Refusal =>
  new Refusal('SHUTTING_DOWN', 'This node is draining; try another or come back.');

const tooLong = (): Refusal =>
  new Refusal(
    'LIMIT_EXCEEDED',
    `The rerun took longer than ${REVERIFY_MS / 1000} s here; svc rerun does it on your machine.`,
    { accepts: `runs of at most ${REVERIFY_MS / 1000} s` },
  );

function missingPiece(error: unknown): Refusal | undefined {
  if (!(error instanceof MissingPiece)) return undefined;
  return new Refusal('INVALID_INPUT', error.message, {
    accepts: 'a bundle, which svc bundle makes of an answer',
  });
}
