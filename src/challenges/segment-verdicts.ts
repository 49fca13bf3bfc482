import type { NewVerdict, WriteVerdict } from '../../mesh/coordinator/ports.ts';
import type { Outcome } from '../../mesh/decide/effects.ts';
import type { Check, Span } from '../../mesh/decide/run.ts';
import { type MeshVerdictRow, meshVerdicts } from '../../mesh/records.ts';
import { tickOf } from '../clock/pulse.ts';
import { printableWord } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';
import type { NoteSigner } from '../proof/note.ts';
import { signStatement } from '../proof/statement.ts';
import type { NodeLog } from '../spine/node-log.ts';
import { logVerdict } from '../spine/revocations.ts';
import type { Reader, Store } from '../store/store.ts';
import { engineVersion } from '../version.ts';
import { type Said, type SegmentVerdictStatement, segmentVerdictLeaf } from './segment-verdict.ts';

// Verdicts within runs of the mesh: signed, logged as those of challenges are, and open to everybody.

export interface VerdictParts {
  readonly signer: NoteSigner;
  readonly log: NodeLog;
  readonly now: () => bigint;
}

export function verdictWriter({ signer, log, now }: VerdictParts): WriteVerdict {
  const node = signer.name;
  return async (tx, verdict) => {
    const { statement, note } = signStatement(signer, 'svc-segment-verdict-1', { ...stated(verdict, node) });
    const batch = await logVerdict(tx, { log, node, now }, segmentVerdictLeaf(statement));
    return { note, node, index: batch.firstIndex, committed: () => batch.committed() };
  };
}

function stated(
  { id, run, kernel, runHash, stepsPerSegment, before, content, atNs }: NewVerdict,
  node: string,
): SegmentVerdictStatement {
  const { outcome, segment, span, challenger, third, confirm, faulty } = content;
  return {
    ...{ verdict: id, outcome, detail: sentences[outcome](segment) },
    ...{ run, kernel, runHash, stepsPerSegment, from: span.from, segment, before: before ?? null },
    ...{ contributor: said(span), challenger: said(challenger), third: said(third) },
    ...{ service: confirm ? said(confirm) : null, faulty },
    ...{ node, engine_version: engineVersion, tick: tickOf(atNs), t_ns: String(atNs) },
  };
}

const said = ({ id: node, engine, claim }: Span | Check): Said => ({ node, engine, claim: claim! });

const sentences: Readonly<Record<Outcome, (segment: number) => string>> = {
  contributor_wrong: (segment) =>
    `segment ${segment} came out as the second execution said and not as the first.`,
  challenger_wrong: (segment) =>
    `segment ${segment} came out as the first execution said and not as the second.`,
  not_reproducible: (segment) =>
    `segment ${segment} came out neither as the first nor as the second execution said: nobody loses a bond.`,
};

export interface SegmentVerdictView {
  readonly verdict: string;
  /** Job and index of the run in it. */
  readonly run: string;
  readonly segment: number;
  readonly outcome: string;
  readonly faulty: readonly string[];
  /** Who signed it, and its leaf in the log of that one. */
  readonly node: string;
  readonly leaf_index: number;
  /** Signed statement svc-segment-verdict-1. */
  readonly note: string;
  readonly decided_ns: string;
}

/** Those of earlier versions are in no log, and name accounts: they are not shown. */
const logged = { leaf_index: { gte: 0n } };

/** Newest first; `run`: of this one only. */
export async function segmentVerdicts(
  store: Store,
  run: string | undefined,
  page: { limit: number; offset: number },
) {
  const where = { ...logged, ...(run === undefined ? {} : { run }) };
  const { rows, total } = await store.page(meshVerdicts, { where, orderBy: { decided_ns: 'desc' }, ...page });
  return { verdicts: rows.map(viewOf), total };
}

/** @throws Refusal NOT_FOUND */
export async function segmentVerdict(reader: Reader, id: string): Promise<SegmentVerdictView> {
  const [row] = await reader.find(meshVerdicts, { where: { ...logged, id } });
  if (!row) throw new Refusal('NOT_FOUND', `There is no verdict ${printableWord(id)}.`);
  return viewOf(row);
}

function viewOf({
  id,
  run,
  segment,
  outcome,
  faulty,
  node,
  leaf_index,
  note,
  decided_ns,
}: MeshVerdictRow): SegmentVerdictView {
  return {
    ...{
      verdict: id,
      run,
      segment: Number(segment),
      outcome,
      faulty: faulty === '' ? [] : faulty.split(','),
    },
    ...{ node: node!, leaf_index: Number(leaf_index), note, decided_ns: String(decided_ns) },
  };
}
