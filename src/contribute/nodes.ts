import { randomBytes } from 'node:crypto';
import { equalConstantTime } from '#crypto';
import {
  type AdmissionRequest,
  admissionMessage,
  type SelfTestPaper,
} from '../../mesh/contributor/admission.ts';
import {
  firstSelfTestDifference,
  type SelfTestAnswer,
  type SelfTestQuestion,
} from '../../mesh/contributor/self-test.ts';
import { nodeHandshakeKey } from '../../mesh/gossip/handshake.ts';
import { isSignedBy, publicKeyOf } from '../../mesh/nats/nkey.ts';
import { type MeshNodeRow, meshNodes } from '../../mesh/records.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { fromBase64, toHex, utf8 } from '../proof/bytes.ts';
import type { HmacKey } from '../proof/crypto-keys.ts';
import { DuplicateKey, type Store, type Transaction } from '../store/store.ts';
import { contributorRow } from './bond.ts';
import { contributors } from './records.ts';

/** Nodes of one account, those that have left included: an id belongs to its account for ever. */
export const MOST_NODES = 256;
/** For how long a paper of the self-test can be answered. */
export const PAPER_MINUTES = 30;
const PAPER_NS = BigInt(PAPER_MINUTES) * 60_000_000_000n;

/** What admission needs of a mesh that is up. */
export interface MeshDoor {
  /** URL of the NATS server that contributors connect to. */
  readonly nats: string;
  /** Public nkey with which the service speaks there. */
  readonly nkey: string;
  /** Secret of the mesh, the same on all its service nodes. */
  readonly secret: HmacKey;
  /** The questions of the self-test with the answers that this node computed itself. */
  selfTest(): Promise<SelfTest>;
}

export interface SelfTest {
  readonly questions: readonly SelfTestQuestion[];
  readonly answers: readonly SelfTestAnswer[];
}

// ---- papers --------------------------------------------------------------------------------------------

const paperTag = utf8('SVC-SELF-TEST-1\0');

/** Bound to the account and to its time, so that papers need not be kept: 32 digits at random, 16 of time, 32 of MAC. */
function paperId(secret: HmacKey, zid: string, nonce: string, atNs: bigint): string {
  const named = nonce + atNs.toString(16).padStart(16, '0');
  return named + toHex(secret.mac(paperTag, utf8(named), utf8(zid))).slice(0, 32);
}

export async function newPaper(door: MeshDoor, zid: string, nowNs: bigint): Promise<SelfTestPaper> {
  const { questions } = await door.selfTest();
  return { id: paperId(door.secret, zid, randomBytes(16).toString('hex'), nowNs), questions };
}

function refuseStalePaper({ secret }: MeshDoor, zid: string, id: string, nowNs: bigint): void {
  const isRead = /^[0-9a-f]{80}$/.test(id);
  const atNs = isRead ? BigInt(`0x${id.slice(32, 48)}`) : 0n;
  const isOwn =
    isRead && equalConstantTime(utf8(paperId(secret, zid, id.slice(0, 32), atNs)), utf8(id)) && atNs <= nowNs;
  if (!isOwn || nowNs - atNs > PAPER_NS)
    refuse(
      'INVALID_INPUT',
      `This self-test was not given to this account in the last ${PAPER_MINUTES} minutes; GET /api/contribute/self-test gives one.`,
      { field: 'selfTest.id' },
    );
}

// ---- admission -----------------------------------------------------------------------------------------

/** Beside the row: what the node connects with. The key is shown here and kept nowhere. */
export interface Admitted {
  readonly row: MeshNodeRow;
  readonly nats: string;
  readonly nkey: string;
  /** For `x-node-handshake`, 64 hexadecimal digits. */
  readonly handshake: string;
}

/**
 * Admits a node whose key signed for it and whose engine gives the digests of the reference suite.
 * @throws Refusal INVALID_INPUT with the first difference of the self-test · FORBIDDEN · LIMIT_EXCEEDED
 */
export async function admit(
  store: Store,
  door: MeshDoor,
  zid: string,
  request: AdmissionRequest,
  nowNs: bigint,
): Promise<Admitted> {
  refuseStalePaper(door, zid, request.selfTest.id, nowNs);
  refuseForged(request);
  const { answers } = await door.selfTest();
  const difference = firstSelfTestDifference(answers, request.selfTest.answers);
  if (difference !== undefined)
    refuse('INVALID_INPUT', `This node computes otherwise than the reference: ${difference}.`, {
      field: 'selfTest.answers',
      difference,
    });
  await contributorRow(store, zid, nowNs);
  const row = await admitted(store, zid, request, nowNs);
  return {
    row,
    nats: door.nats,
    nkey: door.nkey,
    handshake: toHex(nodeHandshakeKey(door.secret, request.node)),
  };
}

function refuseForged({ node, selfTest, proof }: AdmissionRequest): void {
  if (publicKeyOf('user', node) === undefined)
    refuse('INVALID_INPUT', 'node is no public nkey of a user: U and 55 more letters and digits.', {
      field: 'node',
    });
  if (!isSignedBy(node, admissionMessage(selfTest.id, node), signatureOf(proof)))
    refuse('INVALID_INPUT', "proof is not this node's signature over this self-test.", { field: 'proof' });
}

function signatureOf(proof: string): Uint8Array {
  return /^[A-Za-z0-9+/]{86}==$/.test(proof) ? (tryBase64(proof) ?? new Uint8Array(0)) : new Uint8Array(0);
}

function tryBase64(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text);
  } catch {
    return undefined; // stray bits behind the last byte
  }
}

/** Two calls at once for a node that is new: the second finds the row of the first. */
async function admitted(
  store: Store,
  owner: string,
  request: AdmissionRequest,
  nowNs: bigint,
): Promise<MeshNodeRow> {
  const write = () => store.transaction((tx) => writeNode(tx, owner, request, nowNs));
  return write().catch((error) => {
    if (error instanceof DuplicateKey) return write();
    throw error;
  });
}

async function writeNode(
  tx: Transaction,
  owner: string,
  { node: id, engine, cores, memory }: AdmissionRequest,
  nowNs: bigint,
): Promise<MeshNodeRow> {
  const { mode } = (await tx.get(contributors, { owner }))!;
  // A verdict decides by this row too, so that no new node contributes past it.
  await tx.update(contributors, { owner }, { changed_ns: nowNs });
  const offer = { engine, cores: BigInt(cores), memory: BigInt(memory) };
  const known = await tx.get(meshNodes, { id });
  if (known) {
    refuseTaken(known, owner);
    const again = known.state === 'left' ? { mode, admitted_ns: nowNs } : {};
    const changes = { ...offer, ...again, state: 'admitted', heard_ns: nowNs };
    await tx.update(meshNodes, { id }, changes);
    return { ...known, ...changes };
  }
  if ((await tx.count(meshNodes, { owner })) >= MOST_NODES)
    refuse('LIMIT_EXCEEDED', `An account has at most ${MOST_NODES} nodes, those that have left included.`);
  const row = { id, owner, ...offer, mode, state: 'admitted', admitted_ns: nowNs, heard_ns: nowNs };
  await tx.insert(meshNodes, row);
  return row;
}

function refuseTaken({ owner, state }: MeshNodeRow, by: string): void {
  if (owner !== by) refuse('FORBIDDEN', 'This node belongs to another account, for ever.', { field: 'node' });
  if (state === 'barred')
    refuse('FORBIDDEN', 'This node is barred: a verdict found its work wrong.', { field: 'node' });
}

/** A row of this account; another's is as if it were not there. @throws Refusal NOT_FOUND */
export async function ownNode(reader: Pick<Store, 'get'>, owner: string, id: string): Promise<MeshNodeRow> {
  const row = await reader.get(meshNodes, { id });
  if (row?.owner === owner) return row;
  throw new Refusal('NOT_FOUND', 'This account has no such node.');
}

/** The node takes nothing from now on; a node that is barred stays so. @throws Refusal NOT_FOUND · CONFLICT */
export async function leave(tx: Transaction, owner: string, id: string): Promise<void> {
  const { state } = await ownNode(tx, owner, id);
  if (state === 'barred') refuse('CONFLICT', 'This node is barred, and stays so.');
  await tx.update(meshNodes, { id }, { state: 'left', mode: 'idle' }, { state: 'admitted' });
}
